// A worked example of docs/protocol.md in Rust, without any crate: Relu of float32. The suite writes its messages
// without spaces and with keys in a known order, so that texts are found without a parser of JSON.
//     rustc -O tests/suite/relu.rs && plumbline conformance --backend stdio:./relu --spec onnx/relu@14
const STARTED: &str = r#"{"plumbline":2,"name":"relu.rs","version":"1","specifications":["onnx/relu@*"],"capabilities":
[{"operators":["Relu"],"dtypes":["float32"]}]}"#;
const LETTERS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

fn after<'a>(text: &'a str, key: &str, end: &str) -> &'a str {
    text.split_once(key).and_then(|(_, rest)| rest.split_once(end)).map_or("", |(value, _)| value)
}

/// The bits of numbers as numbers of another width; the last one ends in zeros.
fn regroup(numbers: &[usize], from: usize, to: usize) -> impl Iterator<Item = usize> + '_ {
    let bit = move |at| numbers.get(at / from).map_or(0, |number| number >> (from - 1 - at % from) & 1);
    (0..(numbers.len() * from).div_ceil(to)).map(move |n| (n * to..n * to + to).fold(0, |sum, at| sum << 1 | bit(at)))
}

fn relu(data: &str) -> String {
    let places: Vec<_> = data.chars().filter_map(|letter| LETTERS.find(letter)).collect();
    let relu = |word: usize| if f32::from_bits((word as u32).swap_bytes()) < 0.0 { 0 } else { word };
    let words: Vec<_> = regroup(&places, 6, 32).take(places.len() * 6 / 32).map(relu).collect();
    let letters = regroup(&words, 32, 6).map(|place| LETTERS.as_bytes()[place] as char);
    letters.chain(std::iter::repeat('=')).take((words.len() * 4).div_ceil(3) * 4).collect()
}

fn main() {
    for line in std::io::stdin().lines().map_while(Result::ok) {
        let (id, shape) = (after(&line, "\"number\":", ","), after(&line, "\"shape\":[", "]"));
        let answer = match (after(&line, "\"do\":\"", "\""), after(&line, "\"dtype\":\"", "\"")) {
            ("stop", _) => break,
            ("start", _) => STARTED.replace('\n', ""),
            (_, "float32") => {
                let y = relu(after(&line, "\"data\":\"", "\""));
                format!(r#"{{"number":{id},"outputs":{{"Y":{{"dtype":"float32","shape":[{shape}],"data":"{y}"}}}}}}"#)
            }
            _ => format!(r#"{{"number":{id},"refused":{{"message":"only float32"}}}}"#),
        };
        println!("{answer}");
    }
}
