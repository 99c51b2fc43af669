### Resource comment
## Group
-brand = Assay
# A greeting
hello = Hello, { $name }!
    .tooltip = Says hello
multi =
    First line
    second line

    after a gap
files = { $count ->
    [one] One file
   *[other] { $count } files
}
last = End
