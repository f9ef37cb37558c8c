import { type ChildProcess, spawn } from "node:child_process"
import { createServer, Socket } from "node:net"
// Not the globals, because a test may have replaced them with fake timers.
import { clearTimeout, setTimeout } from "node:timers"
import { fileURLToPath } from "node:url"
import { SERVE_FLAGS } from "../../bin/flags.js"

/** A start takes about a second, but more than 30 seconds on a slow machine that runs other tests at the same time. */
const START_LIMIT_MS = 120_000
/** After this time a server that was asked to stop is killed. */
const STOP_LIMIT_MS = 10_000
/** A connection closes shortly before the end of the process is reported. */
const EXIT_REPORT_LIMIT_MS = 1_000
/** The end of the error output is kept for error messages. */
const STDERR_LIMIT_CHARACTERS = 4_000
/** Another process may take a free port before the server listens. */
const FREE_PORT_ATTEMPTS = 3

const HOST = "127.0.0.1"
const READY_TEXT = "Latchkey is running at"
const PORT_TAKEN_TEXT = "PORT: cannot listen"

/** With all these flags, the command need not start itself again. */
const NODE_FLAGS = [...SERVE_FLAGS, "--disable-warning=ExperimentalWarning"]
/** The other variables of this process, such as DATABASE_URL, must not change the server. */
const INHERITED_VARIABLES = ["PATH", "HOME", "TMPDIR", "TEMP", "TMP", "SystemRoot"]

export interface ServerProcess {
  readonly url: string
  /** Returns why the server does not respond. */
  readonly describeUnreachable: () => Promise<string>
  /** Returns when the process has ended. */
  readonly stop: () => Promise<void>
}

const findFreePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once("error", reject)
    probe.listen(0, HOST, () => {
      const address = probe.address()
      probe.close(() => resolve(address !== null && typeof address === "object" ? address.port : 0))
    })
  })

const makeEnvironment = (port: number): Record<string, string> => ({
  ...Object.fromEntries(
    INHERITED_VARIABLES.flatMap((name) => {
      const value = process.env[name]
      return value === undefined ? [] : [[name, value]]
    })
  ),
  PORT: String(port),
  HOST,
  LOG_LEVEL: "warn"
})

const spawnServer = (port: number, serveArguments: ReadonlyArray<string>): ChildProcess =>
  spawn(
    process.execPath,
    [
      ...NODE_FLAGS,
      fileURLToPath(new URL("../../bin/latchkey.js", import.meta.url)),
      "serve",
      "--test",
      ...serveArguments
    ],
    // The server stops when the channel closes, so it ends with this process.
    { env: makeEnvironment(port), stdio: ["ignore", "pipe", "pipe", "ipc"] }
  )

const delay = (milliseconds: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, milliseconds))

const requestStop = (child: ChildProcess): void => {
  // On Windows, SIGTERM would end the server at once, without its shutdown.
  if (process.platform === "win32" && child.connected) child.disconnect()
  else child.kill("SIGTERM")
}

/** Lets this process end although the server runs. */
const unref = (child: ChildProcess): void => {
  child.unref()
  child.channel?.unref()
  for (const stream of [child.stdout, child.stderr]) if (stream instanceof Socket) stream.unref()
}

/** Collects the end of the error output. */
const collectErrorOutput = (child: ChildProcess): (() => string) => {
  let text = ""
  child.stderr?.setEncoding("utf8").on("data", (part: string) => {
    text = (text + part).slice(-STDERR_LIMIT_CHARACTERS)
  })
  return () => text
}

const describeEnd = ({ exitCode, signalCode }: ChildProcess, errorOutput: string): string =>
  `The test server ended (${signalCode ?? `exit code ${exitCode}`}). Its error output:\n${errorOutput}`

/** Also resolves for a process that could not start. */
const waitForEnd = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    child.once("exit", () => resolve())
    child.once("error", () => resolve())
  })

const waitUntilReady = (child: ChildProcess, readErrorOutput: () => string): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(
        new Error(
          `The test server was not ready after ${START_LIMIT_MS / 1000} seconds. Its error output:\n${readErrorOutput()}`
        )
      )
      child.kill("SIGKILL")
    }, START_LIMIT_MS)
    let output = ""
    child.stdout?.setEncoding("utf8").on("data", (part: string) => {
      // After the start, the output is read only so that the server never waits for a full pipe.
      if (output.includes(READY_TEXT)) return
      output += part
      if (!output.includes(READY_TEXT)) return
      clearTimeout(timer)
      resolve()
    })
    const fail = (error: Error) => {
      clearTimeout(timer)
      reject(error)
    }
    child.once("error", fail)
    // Unlike `exit`, after all error output.
    child.once("close", () => fail(new Error(describeEnd(child, readErrorOutput()))))
  })

const startOnPort = async (port: number, serveArguments: ReadonlyArray<string>): Promise<ServerProcess> => {
  const child = spawnServer(port, serveArguments)
  const readErrorOutput = collectErrorOutput(child)
  const end = waitForEnd(child)
  await waitUntilReady(child, readErrorOutput)
  unref(child)
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  let stopping: Promise<void> | undefined
  const stop = async () => {
    if (hasEnded()) return
    child.ref()
    const timer = setTimeout(() => child.kill("SIGKILL"), STOP_LIMIT_MS)
    requestStop(child)
    await end
    clearTimeout(timer)
  }
  return {
    url: `http://${HOST}:${port}`,
    describeUnreachable: async () => {
      if (stopping !== undefined) return "The test server is closed."
      await Promise.race([end, delay(EXIT_REPORT_LIMIT_MS)])
      return hasEnded() ? describeEnd(child, readErrorOutput()) : "The test server does not respond."
    },
    stop: () => {
      stopping ??= stop()
      return stopping
    }
  }
}

const startOnFreePort = async (
  serveArguments: ReadonlyArray<string>,
  attempts = FREE_PORT_ATTEMPTS
): Promise<ServerProcess> =>
  startOnPort(await findFreePort(), serveArguments).catch((error: Error) => {
    if (attempts === 1 || !error.message.includes(PORT_TAKEN_TEXT)) throw error
    return startOnFreePort(serveArguments, attempts - 1)
  })

/** Returns a test server that is ready. Rejects with its error output if it ends before. Port 0 is a free port. */
export const startServer = (port: number, serveArguments: ReadonlyArray<string>): Promise<ServerProcess> =>
  port === 0 ? startOnFreePort(serveArguments) : startOnPort(port, serveArguments)
