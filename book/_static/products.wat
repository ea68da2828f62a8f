;; The products of try-network.js. Assemble: npx --package wabt wat2wasm products.wat --output=- | base64
(module
  (memory (export "memory") 1)
  ;; out (T, m): each row of x (T, n) times each row of w (m, n); n is a multiple of 16, places are in bytes
  (func (export "products") (param $x i32) (param $w i32) (param $out i32) (param $T i32) (param $n i32) (param $m i32)
    (local $t i32) (local $o i32) (local $k i32) (local $p i32) (local $q i32) (local $v v128)
    (local $a v128) (local $b v128) (local $c v128) (local $d v128) (local $row i32)
    (local.set $row (i32.shl (local.get $n) (i32.const 2)))
    (loop $outputs
      (local.set $t (i32.const 0))
      (loop $tokens
        (local.set $a (v128.const f32x4 0 0 0 0))
        (local.set $b (local.get $a)) (local.set $c (local.get $a)) (local.set $d (local.get $a))
        (local.set $p (i32.add (local.get $x) (i32.mul (local.get $t) (local.get $row))))
        (local.set $q (i32.add (local.get $w) (i32.mul (local.get $o) (local.get $row))))
        (local.set $k (local.get $row))
        (loop $inner
          (local.set $a (f32x4.add (local.get $a) (f32x4.mul (v128.load (local.get $p)) (v128.load (local.get $q)))))
          (local.set $b (f32x4.add (local.get $b) (f32x4.mul (v128.load offset=16 (local.get $p)) (v128.load offset=16 (local.get $q)))))
          (local.set $c (f32x4.add (local.get $c) (f32x4.mul (v128.load offset=32 (local.get $p)) (v128.load offset=32 (local.get $q)))))
          (local.set $d (f32x4.add (local.get $d) (f32x4.mul (v128.load offset=48 (local.get $p)) (v128.load offset=48 (local.get $q)))))
          (local.set $p (i32.add (local.get $p) (i32.const 64)))
          (local.set $q (i32.add (local.get $q) (i32.const 64)))
          (br_if $inner (local.tee $k (i32.sub (local.get $k) (i32.const 64)))))
        (local.set $a (f32x4.add (f32x4.add (local.get $a) (local.get $b)) (f32x4.add (local.get $c) (local.get $d))))
        (f32.store (i32.add (local.get $out) (i32.shl (i32.add (i32.mul (local.get $t) (local.get $m)) (local.get $o)) (i32.const 2)))
          (f32.add (f32.add (f32x4.extract_lane 0 (local.get $a)) (f32x4.extract_lane 1 (local.get $a)))
                   (f32.add (f32x4.extract_lane 2 (local.get $a)) (f32x4.extract_lane 3 (local.get $a)))))
        (br_if $tokens (i32.lt_u (local.tee $t (i32.add (local.get $t) (i32.const 1))) (local.get $T))))
      (br_if $outputs (i32.lt_u (local.tee $o (i32.add (local.get $o) (i32.const 1))) (local.get $m))))))
