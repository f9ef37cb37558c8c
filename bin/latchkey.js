#!/usr/bin/env node
// Plain JavaScript: an older Node must be able to read this far. The program itself is TypeScript that Node 24 runs as
// it is, and Node 24 is a dependency of this package.
import { spawn } from "node:child_process"
import module from "node:module"
import { constants } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import v8 from "node:v8"
import { SERVE_FLAGS } from "./flags.js"

const PINNED_MAJOR = 24
/** More calls of a function than a command makes. */
const NEVER = 1_000_000_000
const FLAGS = process.argv.slice(2).includes("serve") ? SERVE_FLAGS : []
// These work long enough for the embedded database's functions to be compiled a second time, better. Any other command
// ends before that pays: without it a command takes a third less time.
const IS_LONG = ["serve", "migrate"].some((command) => process.argv.slice(2).includes(command))

if (Number.parseInt(process.versions.node, 10) >= PINNED_MAJOR) {
  // The same process begins anew. Where the system cannot do that, it stays as it is and takes more memory.
  if (FLAGS.some((flag) => !process.execArgv.includes(flag)) && process.platform !== "win32") {
    process.execve(process.execPath, [process.execPath, ...process.execArgv, ...FLAGS, ...process.argv.slice(1)])
  }
  if (!IS_LONG) v8.setFlagsFromString(`--wasm-tiering-budget=${NEVER}`)
  // Halves the start of every command after the first. Beside the code, not in a temporary folder others may write to.
  module.enableCompileCache(fileURLToPath(new URL("../node_modules/.cache/latchkey", import.meta.url)))
  await import("../src/cli.ts")
} else {
  handOver()
}

function handOver() {
  const node = pinnedNode()
  if (node === undefined) return refuse("its dependencies are not installed")
  const child = spawn(node, [...FLAGS, fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: "inherit" })
  // Whoever ends this process means the program: it is told, and this process waits for it to finish its work.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"]) process.on(signal, () => child.kill(signal))
  // A test server ends with the process that started it, which is known by the channel to this process.
  process.on("disconnect", () => child.kill("SIGTERM"))
  child.on("error", (error) => refuse(error.message))
  child.on("exit", (code, signal) => {
    process.exitCode = code ?? 128 + constants.signals[signal]
  })
}

function pinnedNode() {
  try {
    return join(dirname(module.createRequire(import.meta.url).resolve("node/package.json")), "bin", "node")
  } catch {
    return undefined
  }
}

function refuse(reason) {
  console.error(`latchkey: cannot start Node ${PINNED_MAJOR}: ${reason}. Run npm ci first.`)
  process.exitCode = 1
}
