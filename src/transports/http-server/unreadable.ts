import { type IncomingMessage, type Server, STATUS_CODES } from "node:http"
import { Socket } from "node:net"
import { Clock, Effect, Predicate } from "effect"
import type { ServiceResponse } from "../../contract/envelope.ts"
import { BadRequest } from "../../contract/errors.ts"
import { HEADER_BYTES } from "../../platform/limits.ts"
import { Service } from "../../service/service.ts"
import { NO_STORE } from "../http/caching.ts"
import type { Connection } from "./Connection.ts"
import type { Connections } from "./Connections.ts"

/**
 * Rejects what Node cannot parse: invalid HTTP, headers over the limit, broken or slow bodies, and CONNECT. Earlier
 * requests of the connection get their responses first.
 */
export const rejectUnreadable = Effect.fnUntraced(function* (server: Server, connections: Connections) {
  const service = yield* Service
  const run = Effect.runForkWith(yield* Effect.context<never>())

  const reject = (connection: Connection, message: string) => {
    connection.rejectMore()
    run(
      Effect.gen(function* () {
        const response = yield* service.respondWithError(new BadRequest({ message }), {
          transport: "rest",
          headers: {}
        })
        return renderResponse(response, new Date(yield* Clock.currentTimeMillis))
      }).pipe(
        Effect.catchCause((cause) => Effect.as(Effect.logError("defect", cause), "")),
        Effect.map((text) => connection.endWith(text))
      )
    )
  }

  const end = (connection: Connection, error: Error) => {
    if (connection.canReject) return reject(connection, toErrorMessage(error))
    connection.rejectMore()
    connection.endWith("")
  }

  server.on("clientError", (error, socket) => {
    const connection = socket instanceof Socket ? connections.of(socket) : undefined
    if (connection === undefined || socket.destroyed) return
    if (!isProtocolError(error)) socket.destroy()
    // If the last response is already decided, further bytes are ignored.
    else if (connection.acceptsRequests) end(connection, error)
  })

  server.on("connect", (_: IncomingMessage, socket) => {
    const connection = socket instanceof Socket ? connections.of(socket) : undefined
    if (connection === undefined) return
    // Node detaches the socket. An unhandled error would end the process, and further bytes would not be read.
    socket.on("error", () => socket.destroy())
    socket.resume()
    reject(connection, "CONNECT is not supported: this server is not a proxy.")
  })
})

const readErrorCode = (error: Error): string =>
  Predicate.hasProperty(error, "code") && Predicate.isString(error.code) ? error.code : ""

const TIMEOUT = "ERR_HTTP_REQUEST_TIMEOUT"

/** All other errors come from the socket. */
const isProtocolError = (error: Error): boolean =>
  readErrorCode(error).startsWith("HPE_") || readErrorCode(error) === TIMEOUT

const toErrorMessage = (error: Error): string => {
  const code = readErrorCode(error)
  if (code === TIMEOUT) return "The request did not arrive in time."
  if (code === "HPE_HEADER_OVERFLOW")
    return `The request line and the headers must not be larger than ${HEADER_BYTES} bytes.`
  return `The request is not valid HTTP (${code}).`
}

/** Node has no response object for unreadable input. */
const renderResponse = ({ envelope, headers }: ServiceResponse, now: Date): string => {
  const body = JSON.stringify(envelope)
  const lines = Object.entries({
    ...headers,
    ...NO_STORE,
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
    "x-request-id": envelope.request_id,
    date: now.toUTCString(),
    connection: "close"
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 200 ${STATUS_CODES[200]}\r\n${lines.join("")}\r\n${body}`
}
