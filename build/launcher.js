#!/usr/bin/env node
// The command of the published package, `dist/latchkey.js`. An older Node must be able to read this file.
import v8 from "node:v8"
import { SERVE_FLAGS } from "./flags.js"

const OLDEST_NODE = "22.15"
/** Prevents a second compilation of the embedded database's functions: it does not pay in a short command. */
const SINGLE_COMPILATION_FLAG = "--wasm-tiering-budget=1000000000"
/** On Node 22, `process.execve` and `node:sqlite` would print warnings that users cannot act on. */
const NO_WARNING_FLAG = "--disable-warning=ExperimentalWarning"

const isCommand = (name) => process.argv.slice(2).includes(name)

if (isTooOld()) {
  console.error(`latchkey: needs Node ${OLDEST_NODE} or later, not ${process.versions.node}.`)
  process.exitCode = 1
} else {
  silenceExperimentalWarnings()
  if (isCommand("serve")) restartWithFlags([...SERVE_FLAGS, NO_WARNING_FLAG])
  if (!isCommand("serve") && !isCommand("migrate")) v8.setFlagsFromString(SINGLE_COMPILATION_FLAG)
  await import("./program/cli.js")
}

function isTooOld() {
  const [major, minor] = process.versions.node.split(".").map(Number)
  const [oldestMajor, oldestMinor] = OLDEST_NODE.split(".").map(Number)
  return major < oldestMajor || (major === oldestMajor && minor < oldestMinor) || (major === 23 && minor < 8)
}

function silenceExperimentalWarnings() {
  const emitWarning = process.emitWarning
  process.emitWarning = (warning, ...options) => {
    if (options[0] !== "ExperimentalWarning" && options[0]?.type !== "ExperimentalWarning")
      emitWarning.call(process, warning, ...options)
  }
}

/** Replaces this process by one with the flags. Where the system cannot do that, this process uses more memory. */
function restartWithFlags(flags) {
  if (flags.every((flag) => process.execArgv.includes(flag)) || process.platform === "win32") return
  process.execve?.(process.execPath, [process.execPath, ...process.execArgv, ...flags, ...process.argv.slice(1)])
}
