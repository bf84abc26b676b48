using Test

include("../slug.jl")

@testset "slugify" begin
    @test slugify("Ada Lovelace") == "ada-lovelace"
    @test [slugify(word) for word in ("A", "B c")] == ["a", "b-c"]
end
