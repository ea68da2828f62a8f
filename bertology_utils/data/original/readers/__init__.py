"""One module a data set or family of data sets; each registers its readers with `reading.reader` when imported."""
