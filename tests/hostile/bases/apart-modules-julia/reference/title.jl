title(text) = join(uppercasefirst.(split(text)), " ")
