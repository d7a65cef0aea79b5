// A worked example of docs/protocol.md in Rust, without any crate: Relu of float32. The suite writes its messages
// without spaces and with keys in a known order, so that texts are found without a parser of JSON.
//
//     rustc -O tests/suite/relu.rs && plumbline conformance --backend stdio:./relu --spec onnx/relu@14
use std::io::{stdin, BufRead, Write};

const STARTED: &str = r#"{"plumbline":2,"name":"relu.rs","version":"1","specifications":["onnx/relu@*"],
"capabilities":[{"operators":["Relu"],"dtypes":["float32"]}]}"#;
const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

fn after<'a>(text: &'a str, key: &str, end: &str) -> &'a str {
    let begin = text.find(key).expect(key) + key.len();
    &text[begin..begin + text[begin..].find(end).expect(end)]
}

fn decode(text: &str) -> Vec<u8> {
    let values: Vec<u32> = text.bytes().map(|b| LETTERS.iter().position(|&l| l == b).unwrap_or(0) as u32).collect();
    let mut bytes: Vec<u8> = values.chunks(4).flat_map(|c| {
        let bits = c[0] << 18 | c[1] << 12 | c[2] << 6 | c[3];
        [(bits >> 16) as u8, (bits >> 8) as u8, bits as u8]
    }).collect();
    bytes.truncate(bytes.len() - text.matches('=').count());
    bytes
}

fn encode(bytes: &[u8]) -> String {
    bytes.chunks(3).map(|c| {
        let bits = (0..3).fold(0, |sum, place| sum << 8 | *c.get(place).unwrap_or(&0) as usize);
        let letter = |place| if place > c.len() { '=' } else { LETTERS[bits >> (18 - 6 * place) & 63] as char };
        (0..4).map(letter).collect::<String>()
    }).collect()
}

fn relu(bytes: &[u8]) -> [u8; 4] {
    let number = f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    (if number < 0.0 { 0.0 } else { number }).to_le_bytes()
}

fn main() {
    for line in stdin().lock().lines().map_while(Result::ok) {
        let number = || after(&line, "\"number\":", ",");
        let answer = match after(&line, "\"do\":\"", "\"") {
            "stop" => break,
            "start" => STARTED.replace('\n', ""),
            _ if after(&line, "\"dtype\":\"", "\"") != "float32" =>
                format!("{{\"number\":{},\"refused\":{{\"message\":\"only float32\"}}}}", number()),
            _ => {
                let bytes = decode(after(&line, "\"data\":\"", "\""));
                format!("{{\"number\":{},\"outputs\":{{\"Y\":{{\"dtype\":\"float32\",\"shape\":[{}],\"data\":\"{}\"}}}}}}",
                        number(), after(&line, "\"shape\":[", "]"),
                        encode(&bytes.chunks(4).flat_map(relu).collect::<Vec<u8>>()))
            }
        };
        println!("{answer}");
        std::io::stdout().flush().unwrap();
    }
}
