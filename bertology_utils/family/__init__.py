"""Recorded runs of pretraining: what was trained (`grid`, `config`), what each run could do (`record`), a tier as one subject.

Some 500 small runs differ in one thing each; weights are not kept, records are (``assets/family``). Here they are read: the
runs are trained, measured and recorded by the distribution ``bertology-pretrain`` (``workshop/pretrain``). A run is found
again by the hash of its configuration, its text and the version of the code.
"""

from .config import Config, ConfigError
from .grid import Member, Tier, members, tiers
from .record import Record, RecordError, find, read
from .recorded import Recorded
