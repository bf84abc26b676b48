answer = read(`julia -e "include(\"slug.jl\"); print(slugify(ARGS[1]))" "Ada Lovelace"`, String)
exit(success(pipeline(`julia grading/compare.jl $answer`; stdout=stdout, stderr=stderr)) ? 0 : 1)
# @canary@
