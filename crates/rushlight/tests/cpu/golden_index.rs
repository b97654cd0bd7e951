//! Index ops, sorting, running sums and triangles, with gradients, compared with PyTorch (golden files).
use crate::golden::{Case, cases, check, close};
use rushlight::{DType, Result, Tensor};

/// Returns the `dim` argument, which may be negative.
fn dim(case: &Case, rank: usize) -> usize {
    let d = case.kwargs["dim"].as_i64().expect("dim");
    (if d < 0 { d + rank as i64 } else { d }) as usize
}

fn run(case: &Case, ins: &[Tensor]) -> Result<Tensor> {
    let x = &ins[0];
    let dim = || dim(case, x.rank());
    let diagonal = || case.kwargs["diagonal"].as_i64().unwrap_or(0);
    match case.op.as_str() {
        "gather" => x.gather(&ins[1], dim()),
        "scatter" => x.scatter(&ins[1], &ins[2], dim()),
        "scatter_add" => x.scatter_add(&ins[1], &ins[2], dim()),
        "index_select" => x.index_select(&ins[1], dim()),
        "index_add" => {
            let alpha = case.kwargs.get("alpha").and_then(|v| v.as_f64()).unwrap_or(1.0);
            x.index_add(&ins[1], &ins[2].affine(alpha, 0.0)?, dim())
        }
        "tril" => x.tril(diagonal()),
        "triu" => x.triu(diagonal()),
        "cumsum" => x.cumsum(dim()),
        op => panic!("no such op here: {op}"),
    }
}

fn sweep(family: &str, ops: &[(&str, usize)]) {
    let all = cases(family);
    for &(op, count) in ops {
        let chosen: Vec<&Case> = all.iter().filter(|c| c.op == op).collect();
        assert_eq!(chosen.len(), count, "{op}");
        for case in chosen {
            check(case, run);
            // The same with indices of the other dtypes.
            if let Some((_, ids)) = case.inputs.get(1) {
                for dtype in [DType::U8, DType::U32, DType::I32, DType::I16] {
                    let mut ins: Vec<Tensor> = case.inputs.iter().map(|i| i.1.clone()).collect();
                    ins[1] = ids.to_dtype(dtype).expect("small indices");
                    let out = run(case, &ins).expect("the same with other indices");
                    close(&format!("{} with {dtype:?} indices", case.name), &out, &case.outputs[0], 2e-5);
                }
            }
        }
    }
}

#[test]
fn index_ops() {
    let ops = [
        ("gather", 12),
        ("scatter", 10),
        ("scatter_add", 12),
        ("index_select", 10),
        ("index_add", 12),
        ("tril", 16),
        ("triu", 16),
    ];
    sweep("index", &ops);
}

#[test]
fn cumsum() {
    sweep("reduce", &[("cumsum", 12)]);
}

#[test]
fn sort() {
    let all = cases("sort");
    assert_eq!(all.len(), 104);
    for case in &all {
        let dim = dim(case, case.inputs[0].1.rank());
        let down = case.kwargs["descending"].as_bool().expect("descending");
        if case.op == "argsort" {
            let order = case.inputs[0].1.argsort(dim, down, DType::I64).expect(&case.name);
            close(&case.name, &order, &case.outputs[0], 0.0);
            continue;
        }
        check(case, |_, ins| Ok(ins[0].sort(dim, down)?.0));
        let (values, order) = case.inputs[0].1.sort(dim, down).expect(&case.name);
        close(&case.name, &values, &case.outputs[0], 0.0);
        close(&case.name, &order, &case.outputs[1], 0.0);
    }
}
