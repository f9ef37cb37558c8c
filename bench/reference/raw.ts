import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { bookedEnvelope, reservationsEnvelope } from "./reservation-answers.ts"
import { book, readArrivals, readByChannelId } from "./reservation-statements.ts"
import { pool, settings } from "./settings.ts"
import { create, createdEnvelope, envelope, readMonth, readOne, refusedEnvelope } from "./statements.ts"

// Reference: node:http and pg with nothing else: no validation, no tracing, no windows.

const send = (response: ServerResponse, body: object) => {
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
    return bookedEnvelope(await book(pool, settings.operatorId, JSON.parse(await bodyOf(request))))
  }
  const channelId = query.get("channel_id")
  if (channelId !== null) return reservationsEnvelope(await readByChannelId(pool, settings.operatorId, channelId))
  const start = query.get("start_check_in_date") ?? ""
  const end = query.get("end_check_in_date") ?? ""
  const limit = Number(query.get("limit"))
  return reservationsEnvelope(await readArrivals(pool, settings.operatorId, { start, end, limit }))
}

const answer = async (request: IncomingMessage): Promise<object> => {
  if (request.headers["service-access-token"] !== settings.token) return refusedEnvelope(401, "Invalid access token")
  const url = new URL(request.url ?? "/", "http://reference")
  if (url.pathname === "/v3/reservations") return answerReservations(request, url.searchParams)
  if (request.method === "POST") {
    return createdEnvelope(await create(pool, settings.operatorId, JSON.parse(await bodyOf(request))))
  }
  const id = url.searchParams.get("id")
  if (id !== null) return envelope(await readOne(pool, settings.operatorId, Number(id)))
  const from = new Date(`${url.searchParams.get("start_date")}T00:00:00Z`)
  const until = new Date(Date.parse(`${url.searchParams.get("end_date")}T00:00:00Z`) + 86_400_000)
  return envelope(await readMonth(pool, settings.operatorId, from, until))
}

createServer((request, response) => {
  answer(request).then(
    (body) => send(response, body),
    () => send(response, refusedEnvelope(500, "failed"))
  )
}).listen(settings.port, "127.0.0.1")
