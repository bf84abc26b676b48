function f(a, b=3)
    if a < b && true
        return 0
    end
    c = a + b
    for i in 1:c
        break
    end
    g(a, b)
end
