import { createServer } from "node:net"
import { Effect } from "effect"
import { HttpServerError } from "effect/http"
import type { Settings } from "../../service/configuration.ts"

/** Fails if the service cannot listen where the settings say: known before the database is started, which takes seconds. */
export const requireFreePort = ({ port, host }: Pick<Settings, "port" | "host">) =>
  Effect.callback<void, HttpServerError.ServeError>((resume) => {
    const probe = createServer()
    probe.once("error", (cause) => resume(Effect.fail(new HttpServerError.ServeError({ cause }))))
    probe.listen({ port, host }, () => probe.close(() => resume(Effect.void)))
  })
