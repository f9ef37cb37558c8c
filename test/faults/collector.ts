import { createServer, type Server } from "node:http"
import { Effect } from "effect"
import { serverGround } from "../attacks/grounds.ts"
import { findFreePort } from "../support/tools/cli/latchkey-process.ts"
import { suffered } from "./causing.ts"
import type { Fault } from "./fault.ts"
import { noServer, server } from "./places-to-cause.ts"

// The OpenTelemetry collector goes, and hangs: that costs telemetry and no call.

export const collectorFault: Fault = {
  name: "collector",
  skipped: Effect.succeed(noServer),
  run: Effect.gen(function* () {
    const port = yield* findFreePort
    let [collector, hangs]: [Server | undefined, boolean] = [undefined, false]
    const begin = () =>
      new Promise<void>((resolve) => {
        collector = createServer((request, response) => {
          request.resume()
          if (!hangs)
            request.once("end", () => response.writeHead(200, { "content-type": "application/json" }).end("{}"))
        }).listen(Number(port), "127.0.0.1", resolve)
      })
    const end = () =>
      new Promise<void>((resolve) => {
        collector?.close(() => resolve())
        collector?.closeAllConnections()
      })
    yield* Effect.promise(begin)
    yield* Effect.addFinalizer(() => Effect.promise(end))
    const ground = yield* serverGround(server)
    const watched = { ...ground, env: { ...ground.env, OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` } }
    const gone = yield* suffered(watched, {
      fault: "the collector goes and comes back",
      times: 2,
      lastsMs: 8_000,
      promised: [],
      begin: end,
      end: begin
    })
    const hung = yield* suffered(watched, {
      fault: "the collector hangs and goes on",
      times: 2,
      lastsMs: 8_000,
      promised: [],
      begin: async () => {
        hangs = true
      },
      end: async () => {
        hangs = false
      }
    })
    return [gone, hung]
  })
}
