using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [(
    name = "main",
    worker = (
      compatibilityDate = "2026-01-01",
      modules = [
        (name = "worker.js", esModule = embed "bundle.js"),
        (name = "engine.wasm", wasm = embed "node_modules/verger/native/engine.wasm"),
        (name = "tools.wasm", wasm = embed "node_modules/verger/native/tools.wasm"),
      ],
    ),
  )],
);
