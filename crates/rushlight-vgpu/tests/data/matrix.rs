// Target, instruction (its result, factors and sum follow), rows, inner dimension, elements of the factors.

#[rustfmt::skip]
const MATRIX: &[(&str, &str, usize, usize, Element)] = &[
    ("gfx90a", "v_mfma_f32_32x32x2f32", 32, 2, F32),
    ("gfx90a", "v_mfma_f32_16x16x4f32", 16, 4, F32),
    ("gfx90a", "v_mfma_f32_32x32x8f16", 32, 8, F16),
    ("gfx90a", "v_mfma_f32_16x16x16f16", 16, 16, F16),
    ("gfx90a", "v_mfma_f32_32x32x8bf16_1k", 32, 8, Bf16),
    ("gfx90a", "v_mfma_f32_16x16x16bf16_1k", 16, 16, Bf16),
    ("gfx90a", "v_mfma_f64_16x16x4f64", 16, 4, F64),
    ("gfx90a", "v_mfma_i32_32x32x8i8", 32, 8, I8),
    ("gfx90a", "v_mfma_i32_16x16x16i8", 16, 16, I8),
    ("gfx942", "v_mfma_f32_32x32x2_f32", 32, 2, F32),
    ("gfx942", "v_mfma_f32_16x16x4_f32", 16, 4, F32),
    ("gfx942", "v_mfma_f32_32x32x8_f16", 32, 8, F16),
    ("gfx942", "v_mfma_f32_16x16x16_f16", 16, 16, F16),
    ("gfx942", "v_mfma_f32_32x32x8_bf16", 32, 8, Bf16),
    ("gfx942", "v_mfma_f32_16x16x16_bf16", 16, 16, Bf16),
    ("gfx942", "v_mfma_f64_16x16x4_f64", 16, 4, F64),
    ("gfx942", "v_mfma_i32_32x32x16_i8", 32, 16, I8),
    ("gfx942", "v_mfma_i32_16x16x32_i8", 16, 32, I8),
    ("gfx1100", "v_wmma_f32_16x16x16_f16", 16, 16, F16),
    ("gfx1100", "v_wmma_f32_16x16x16_bf16", 16, 16, Bf16),
    ("gfx1100", "v_wmma_i32_16x16x16_iu8", 16, 16, I8),
];
