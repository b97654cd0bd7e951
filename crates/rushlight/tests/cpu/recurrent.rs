//! Recurrent layers over sequences: gradients compared with finite differences, and invalid calls.
use rushlight::recurrent::{Cell, Recurrence};
use rushlight::{Device, Result, Tensor, Var};

const CELLS: [Cell; 4] = [Cell::Tanh, Cell::Relu, Cell::Lstm, Cell::Gru];

fn draw(seed: u64, shape: &[usize]) -> Result<Tensor> {
    // A fixed sequence of numbers between -1 and 1, independent of the library's generator.
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let n: usize = shape.iter().product();
    let numbers: Vec<f64> = (0..n)
        .map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        })
        .collect();
    Tensor::from_vec(numbers, shape, &Device::Cpu)
}

/// The tensors of a direction: pre-activations, initial states, weight, bias of a GRU, projection of an LSTM.
struct Setup {
    cell: Cell,
    sizes: Vec<usize>,
    reverse: bool,
    projected: bool,
    tensors: Vec<Tensor>,
}

impl Setup {
    fn new(cell: Cell, sizes: &[usize], reverse: bool, projected: bool) -> Result<Self> {
        let (hidden, rows) = (3, sizes.iter().sum::<usize>());
        let (wide, tall, batch) = (if projected { 2 } else { hidden }, cell.gates() * hidden, sizes[0]);
        let mut shapes = vec![vec![rows, tall], vec![batch, wide]];
        if cell == Cell::Lstm {
            shapes.push(vec![batch, hidden]);
        }
        shapes.push(vec![tall, wide]);
        if cell == Cell::Gru {
            shapes.push(vec![tall]);
        }
        if projected {
            shapes.push(vec![wide, hidden]);
        }
        let tensors =
            shapes.iter().enumerate().map(|(i, s)| draw(i as u64 + 7, s)).collect::<Result<Vec<_>>>()?;
        Ok(Self { cell, sizes: sizes.to_vec(), reverse, projected, tensors })
    }

    /// Returns a weighted sum of all results.
    fn loss(&self, tensors: &[Tensor]) -> Result<Tensor> {
        let mut rest = tensors.iter();
        let (gates, h) = (rest.next().unwrap(), rest.next().unwrap());
        let c = (self.cell == Cell::Lstm).then(|| rest.next().unwrap());
        let weight = rest.next().unwrap();
        let bias = (self.cell == Cell::Gru).then(|| rest.next().unwrap());
        let projection = self.projected.then(|| rest.next().unwrap());
        let layer = Recurrence {
            cell: self.cell,
            sizes: &self.sizes,
            reverse: self.reverse,
            weight,
            bias,
            projection,
        };
        let (y, h, c) = layer.run(gates, h, c)?;
        let mut sum = (&y * draw(100, y.dims())?)?.sum_all()?;
        for (i, last) in [Some(h), c].into_iter().flatten().enumerate() {
            sum = (sum + (&last * draw(101 + i as u64, last.dims())?)?.sum_all()?)?;
        }
        Ok(sum)
    }
}

fn setups() -> Result<Vec<Setup>> {
    let mut all = Vec::new();
    for cell in CELLS {
        all.push(Setup::new(cell, &[2, 2, 2], false, false)?);
        all.push(Setup::new(cell, &[3, 2, 2, 1], false, false)?);
        all.push(Setup::new(cell, &[3, 2, 2, 1], true, false)?);
    }
    all.push(Setup::new(Cell::Lstm, &[3, 2], true, true)?);
    Ok(all)
}

#[test]
fn gradients_of_sequences_agree_with_finite_differences() -> Result<()> {
    for setup in setups()? {
        let vars = setup.tensors.iter().map(Var::from_tensor).collect::<Result<Vec<_>>>()?;
        let tensors: Vec<Tensor> = vars.iter().map(|v| v.as_tensor().clone()).collect();
        let grads = setup.loss(&tensors)?.backward()?;
        for (i, var) in vars.iter().enumerate() {
            let got = grads.get(var).unwrap().flatten_all()?.to_vec1::<f64>()?;
            let at = setup.tensors[i].flatten_all()?.to_vec1::<f64>()?;
            for (j, got) in got.iter().enumerate() {
                let value = |step: f64| -> Result<f64> {
                    let mut moved = at.clone();
                    moved[j] += step;
                    let mut all = setup.tensors.clone();
                    all[i] = Tensor::from_vec(moved, setup.tensors[i].dims(), &Device::Cpu)?;
                    setup.loss(&all)?.to_scalar::<f64>()
                };
                let want = (value(1e-5)? - value(-1e-5)?) / 2e-5;
                let (cell, reverse) = (setup.cell, setup.reverse);
                assert!(
                    (got - want).abs() < 1e-7 * want.abs().max(1.0),
                    "{cell:?} {reverse} {i} {j}: {got} {want}"
                );
            }
        }
    }
    Ok(())
}

#[test]
fn values_are_the_same_with_and_without_a_gradient() -> Result<()> {
    for setup in setups()? {
        let plain = setup.loss(&setup.tensors)?.to_scalar::<f64>()?;
        let tracked = setup.tensors.iter().map(|t| Ok(Var::from_tensor(t)?.as_tensor().clone()));
        let tracked = setup.loss(&tracked.collect::<Result<Vec<_>>>()?)?.to_scalar::<f64>()?;
        assert_eq!(plain, tracked);
    }
    Ok(())
}

#[test]
fn bad_sequences_are_rejected() -> Result<()> {
    let setup = Setup::new(Cell::Gru, &[2, 2], false, false)?;
    let [gates, h, weight, bias] = &setup.tensors[..] else { panic!("four tensors") };
    let layer = Recurrence {
        cell: Cell::Gru,
        sizes: &[2, 2],
        reverse: false,
        weight,
        bias: Some(bias),
        projection: None,
    };
    let text = |layer: Recurrence<'_>, gates: &Tensor, h: &Tensor, c: Option<&Tensor>| {
        layer.run(gates, h, c).unwrap_err().to_string()
    };
    assert!(text(Recurrence { sizes: &[1, 2], ..layer }, gates, h, None).contains("never rise"));
    assert!(text(Recurrence { sizes: &[], ..layer }, gates, h, None).contains("at least one step"));
    assert!(text(layer, &gates.narrow(0, 0, 3)?, h, None).contains("pre-activations: expected shape [4, 9]"));
    assert!(text(layer, gates, &h.narrow(0, 0, 1)?, None).contains("do not fit 2 sequences"));
    assert!(text(layer, gates, h, Some(h)).contains("has a cell state"));
    assert!(text(Recurrence { projection: Some(weight), ..layer }, gates, h, None).contains("a projection"));
    assert!(text(Recurrence { bias: Some(h), ..layer }, gates, h, None).contains("bias: expected shape [9]"));
    Ok(())
}
