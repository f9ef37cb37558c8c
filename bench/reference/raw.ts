import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { GIVEN, newChannelId } from "./calls.ts"
import { createdEnvelope, entriesEnvelope, refusedEnvelope } from "./entry-answers.ts"
import { bookedEnvelope, reservationsEnvelope } from "./reservation-answers.ts"
import { send, settings } from "./settings.ts"

// Reference: node:http and pg with nothing else: no validation but of what the bench has refused, no
// tracing, no windows.

const PAGE_MAX = 100

const write = (response: ServerResponse, body: object) => {
  const text = JSON.stringify(body)
  response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(text) })
  response.end(text)
}

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  let text = ""
  for await (const chunk of request) text += chunk
  return text
}

const answerReservations = async (request: IncomingMessage, query: URLSearchParams): Promise<object> => {
  if (request.method === "POST") {
    return bookedEnvelope(await send("booking", GIVEN.booking(JSON.parse(await bodyOf(request)), newChannelId())))
  }
  const channelId = query.get("channel_id")
  if (channelId !== null) return reservationsEnvelope(await send("channelId", GIVEN.channelId(channelId)))
  const start = query.get("start_check_in_date") ?? ""
  const end = query.get("end_check_in_date") ?? ""
  return reservationsEnvelope(await send("arrivals", GIVEN.arrivals(start, end, Number(query.get("limit")))))
}

const answer = async (request: IncomingMessage): Promise<object> => {
  if (request.headers["service-access-token"] !== settings.token) return refusedEnvelope(401, "Invalid access token")
  const url = new URL(request.url ?? "/", "http://reference")
  const query = url.searchParams
  if (url.pathname === "/v3/reservations") return answerReservations(request, query)
  if (url.pathname !== "/v3/transactions") return refusedEnvelope(404, `No such route: ${url.pathname}`)
  if (Number(query.get("limit")) > PAGE_MAX) return refusedEnvelope(422, "limit: is too large")
  if (request.method === "POST") {
    return createdEnvelope(await send("newEntry", GIVEN.newEntry(JSON.parse(await bodyOf(request)))))
  }
  const id = query.get("id")
  if (id !== null) return entriesEnvelope(await send("entry", GIVEN.entry(Number(id))))
  const month = GIVEN.month(query.get("start_date") ?? "", query.get("end_date") ?? "")
  return entriesEnvelope(await send("month", month))
}

createServer((request, response) => {
  answer(request).then(
    (body) => write(response, body),
    () => write(response, refusedEnvelope(500, "failed"))
  )
}).listen(settings.port, "127.0.0.1")
