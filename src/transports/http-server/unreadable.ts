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
 * Refuses what never becomes a request: bytes that are no HTTP, headers beyond their limit, a body that breaks off or
 * takes too long, and CONNECT. The requests before it on its connection are answered first, then comes the envelope, and
 * the connection ends.
 */
export const refuseUnreadable = Effect.fnUntraced(function* (server: Server, connections: Connections) {
  const service = yield* Service
  const run = Effect.runForkWith(yield* Effect.context<never>())

  const refuse = (connection: Connection, message: string) => {
    connection.refuseMore()
    run(
      Effect.gen(function* () {
        const answer = yield* service.respondWithError(new BadRequest({ message }), { transport: "rest", headers: {} })
        connection.part(bytesOf(answer, new Date(yield* Clock.currentTimeMillis)))
      })
    )
  }

  const end = (connection: Connection, error: Error) => {
    if (connection.owesAnswer) return refuse(connection, messageOf(error))
    connection.refuseMore()
    connection.part("")
  }

  server.on("clientError", (error, socket) => {
    const connection = socket instanceof Socket ? connections.of(socket) : undefined
    if (connection === undefined || socket.destroyed) return
    if (!isOurs(error)) socket.destroy()
    // Otherwise it was refused already, or its last answer is on its way: what still comes is passed over.
    else if (connection.takes) end(connection, error)
  })

  server.on("connect", (_: IncomingMessage, socket) => {
    const connection = socket instanceof Socket ? connections.of(socket) : undefined
    if (connection === undefined) return
    // Node has let go of the connection: nobody else listens to its errors, or reads what else comes.
    socket.on("error", () => socket.destroy())
    socket.resume()
    refuse(connection, "CONNECT is not supported: this server is not a proxy.")
  })
})

const codeOf = (error: Error): string =>
  Predicate.hasProperty(error, "code") && Predicate.isString(error.code) ? error.code : ""

const TIMEOUT = "ERR_HTTP_REQUEST_TIMEOUT"

/** Node's parser or clock says so. Anything else is an error of the connection itself. */
const isOurs = (error: Error): boolean => codeOf(error).startsWith("HPE_") || codeOf(error) === TIMEOUT

const messageOf = (error: Error): string => {
  const code = codeOf(error)
  if (code === TIMEOUT) return "The request did not arrive in time."
  if (code === "HPE_HEADER_OVERFLOW")
    return `The request line and the headers must not be larger than ${HEADER_BYTES} bytes.`
  return `The request is not valid HTTP (${code}).`
}

/** A whole response, as no response object of Node's is left to write it to. */
const bytesOf = ({ envelope, headers }: ServiceResponse, now: Date): string => {
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
