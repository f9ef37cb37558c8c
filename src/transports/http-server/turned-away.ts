import { IncomingMessage, type Server, ServerResponse } from "node:http"
import type { ServiceResponse } from "../../contract/envelope.ts"
import type { Service } from "../../service/service.ts"
import { NO_STORE } from "../http/caching.ts"
import { REST_PREFIX } from "../http/paths.ts"
import type { Connections } from "./Connections.ts"

/**
 * Answers what an overloaded process need not look at before anything else hears of the request: its body is not read, and
 * no fiber begins. Only for REST, whose answers need nothing of their request.
 */
export const turnAwayAgain = (
  server: Server,
  connections: Connections,
  { rejectIfStillOverloaded }: Pick<Service["Service"], "rejectIfStillOverloaded">
): void => {
  const isAnswered = (request: IncomingMessage, response: ServerResponse): boolean => {
    const answer = request.url?.startsWith(REST_PREFIX) ? rejectIfStillOverloaded(credentialsOf(request)) : undefined
    if (answer === undefined) return false
    const connection = connections.of(request.socket)
    connection?.begin(request, response)
    // One that came after the last answer of its connection gets none.
    if (connection?.has(request)) write(response, answer, connection.isLast(request, false))
    return true
  }
  const emit = server.emit.bind(server)
  // Node tells all who listen of a request, and has no way for one of them to keep it from the others.
  server.emit = (event: string, ...[request, response]: ReadonlyArray<unknown>): boolean =>
    (event === "request" &&
      request instanceof IncomingMessage &&
      response instanceof ServerResponse &&
      isAnswered(request, response)) ||
    emit(event, request, response)
}

const credentialsOf = ({ headers }: IncomingMessage): Readonly<Record<string, string | undefined>> => {
  const own = headers["service-access-token"]
  return {
    "service-access-token": Array.isArray(own) ? own[0] : own,
    authorization: headers.authorization
  }
}

const write = (response: ServerResponse, { envelope, headers }: ServiceResponse, isLast: boolean): void => {
  const body = JSON.stringify(envelope)
  response.writeHead(200, {
    ...headers,
    ...NO_STORE,
    ...(isLast && { connection: "close" }),
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
    "x-request-id": envelope.request_id
  })
  response.end(body)
}
