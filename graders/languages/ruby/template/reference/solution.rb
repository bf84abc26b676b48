count = gets.to_i
puts count.times.sum { gets.to_i }
