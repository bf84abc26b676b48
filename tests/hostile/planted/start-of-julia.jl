for (place, text) in (
    ".julia/config/startup.jl" => "println(\"BREACH: read at the start\"); exit(0)\n",
    ".julia/environments/v$(VERSION.major).$(VERSION.minor)/Project.toml" =>
        "[deps]\nTest = \"8dfed614-e22c-5e08-85e1-65c5234f0b40\"\n",
    ".julia/environments/v$(VERSION.major).$(VERSION.minor)/Manifest.toml" =>
        "[[Test]]\npath = \"/tmp/Test\"\nuuid = \"8dfed614-e22c-5e08-85e1-65c5234f0b40\"\n",
)
    try
        file = joinpath(homedir(), place)
        mkpath(dirname(file))
        write(file, text)
    catch problem
        println(stderr, problem)
    end
end
mkpath("/tmp/Test/src")
write("/tmp/Test/src/Test.jl", "module Test\nprintln(\"BREACH: loaded as Test\")\nexit(0)\nend\n")
slugify(text) = "wrong"
