module verger.example/check

go 1.19
