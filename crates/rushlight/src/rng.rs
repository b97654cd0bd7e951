//! Random numbers: Philox4x32-10, keyed by (seed, number of the draw, element), so that every device gives the same.
//!
//! Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3", SC 2011.

/// The state of a device's generator: a seed and how many tensors were drawn.
#[derive(Debug, Clone)]
pub struct Generator {
    seed: u64,
    draws: u64,
}

impl Generator {
    /// A generator with a seed.
    pub fn new(seed: u64) -> Self {
        Self { seed, draws: 0 }
    }

    /// A generator with a seed from the operating system.
    pub fn from_entropy() -> Self {
        use std::hash::{BuildHasher, Hasher};
        Self::new(std::collections::hash_map::RandomState::new().build_hasher().finish())
    }

    /// The seed.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The key of the next draw.
    pub fn next_draw(&mut self) -> (u64, u64) {
        let draw = self.draws;
        self.draws += 1;
        (self.seed, draw)
    }
}

/// One Philox4x32-10 block: four random words from a counter and a key.
///
/// ```
/// // Known answer of the paper's reference implementation.
/// assert_eq!(
///     rushlight::rng::philox4x32([0; 4], [0; 2]),
///     [0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8]
/// );
/// ```
pub fn philox4x32(mut c: [u32; 4], mut k: [u32; 2]) -> [u32; 4] {
    for _ in 0..10 {
        let p0 = 0xD251_1F53u64 * c[0] as u64;
        let p1 = 0xCD9E_8D57u64 * c[2] as u64;
        c = [(p1 >> 32) as u32 ^ c[1] ^ k[0], p1 as u32, (p0 >> 32) as u32 ^ c[3] ^ k[1], p0 as u32];
        k = [k[0].wrapping_add(0x9E37_79B9), k[1].wrapping_add(0xBB67_AE85)];
    }
    c
}

/// The four words of a block of a draw: `key` is (seed, draw).
#[inline]
pub fn block(key: (u64, u64), block: u64) -> [u32; 4] {
    philox4x32(
        [block as u32, (block >> 32) as u32, key.1 as u32, (key.1 >> 32) as u32],
        [key.0 as u32, (key.0 >> 32) as u32],
    )
}
