use std::io::{read_to_string, stdin};

fn main() {
    let text = read_to_string(stdin()).unwrap();
    let mut numbers = text.split_whitespace().map(|word| word.parse::<i64>().unwrap());
    let count = numbers.next().unwrap() as usize;
    println!("{}", numbers.take(count).sum::<i64>());
}
