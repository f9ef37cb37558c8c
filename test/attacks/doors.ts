import type http from "node:http"
import { Option, Schema } from "effect"
import { type AnyOperation, routeOf, toolMetadataOf } from "../../src/contract/operation.ts"
import { IdleConnectionEnded, jsonText, percentEncoded, type Reply, type Sent, send } from "./wire.ts"

// A call of an operation over either door, with whatever fields.

export type Fields = Readonly<Record<string, unknown>>

/** An attacked service, as its callers see it. */
export interface Target {
  /** Without a final slash. */
  readonly base: string
  readonly agent: http.Agent
}

/** What is sent in a path or a query: of a text itself, of anything else its JSON. */
const asText = (value: unknown): string => (typeof value === "string" ? value : jsonText(value))

/** The path of an operation; a field that is missing leaves its place empty. */
const pathOf = (operation: AnyOperation, fields: Fields): string =>
  routeOf(operation).path.replace(/\{([a-z_]+)\}/g, (_, name: string) =>
    Object.hasOwn(fields, name) ? percentEncoded(asText(fields[name])) : ""
  )

/** The request REST takes for these fields: where each stands follows from the route. */
export const restRequest = (operation: AnyOperation, token: string, fields: Fields): Sent => {
  const { method, params } = routeOf(operation)
  const headers = { "service-access-token": token }
  const rest = Object.entries(fields).filter(([name]) => !params.includes(name))
  const path = `/v3${pathOf(operation, fields)}`
  if (method === "GET") {
    const query = rest.map(([name, value]) => `${percentEncoded(name)}=${percentEncoded(asText(value))}`).join("&")
    return { method, target: query === "" ? path : `${path}?${query}`, headers }
  }
  return restWrite(token, method, path, Object.fromEntries(rest))
}

/** A request of REST with a body; the path is the whole one. */
export const restWrite = (token: string, method: string, target: string, fields: Fields): Sent => {
  const body = jsonText(fields)
  const length = String(Buffer.byteLength(body))
  const headers = { "service-access-token": token, "content-type": "application/json", "content-length": length }
  return { method, target, headers, body }
}

/** The call of the operation's tool. */
export const toolRequest = (operation: AnyOperation, token: string, fields: Fields): Sent => ({
  method: "POST",
  target: "/mcp",
  headers: {
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream"
  },
  body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${operation._tag}","arguments":${jsonText(fields)}}}`
})

export const isTool = (operation: AnyOperation): boolean => toolMetadataOf(operation) !== undefined

/** The envelope as every client may rely on it. */
export const Envelope = Schema.Struct({
  request_id: Schema.NonEmptyString,
  error_code: Schema.Int,
  error_msg: Schema.String,
  data: Schema.Record(Schema.String, Schema.Json)
})
export type Envelope = typeof Envelope.Type

const readEnvelope = Schema.decodeUnknownOption(Schema.fromJsonString(Envelope))

const readResult = Schema.decodeUnknownOption(
  Schema.fromJsonString(
    Schema.Struct({
      result: Schema.Struct({
        // The envelope, and what is said of unknown arguments.
        content: Schema.NonEmptyArray(Schema.Struct({ type: Schema.Literal("text"), text: Schema.String })),
        isError: Schema.Boolean
      })
    })
  )
)

/** The last message of an answer, be it one JSON document or an event stream. */
const messageOf = ({ headers, text }: Reply): string =>
  headers["content-type"] === "text/event-stream"
    ? (text
        .split("\n")
        .filter((line) => line.startsWith("data: "))
        .at(-1)
        ?.slice("data: ".length) ?? "")
    : text

export const restEnvelope = (reply: Reply): Envelope | undefined => Option.getOrUndefined(readEnvelope(reply.text))

export const toolEnvelope = (reply: Reply): Envelope | undefined => {
  const result = Option.map(readResult(messageOf(reply)), ({ result: { content } }) => content[0].text)
  return Option.getOrUndefined(Option.flatMap(result, readEnvelope))
}

/** What one door answered. */
export interface Heard {
  readonly door: "REST" | "MCP"
  readonly reply: Reply
  /** Undefined where no envelope came. */
  readonly envelope: Envelope | undefined
}

type Caller = (target: Target, operation: AnyOperation, token: string, fields: Fields) => Promise<Heard>

/** The answer; where none came, one without a status that says why. */
const replyTo = ({ base, agent }: Target, sent: Sent): Promise<Reply> =>
  send(base, agent, sent)
    .catch((error: Error) => (error instanceof IdleConnectionEnded ? send(base, agent, sent) : Promise.reject(error)))
    .catch((error: Error) => ({ status: 0, headers: {}, text: error.message, ms: 0 }))

export const overRest: Caller = async (target, operation, token, fields) => {
  const reply = await replyTo(target, restRequest(operation, token, fields))
  return { door: "REST", reply, envelope: restEnvelope(reply) }
}

export const overMcp: Caller = async (target, operation, token, fields) => {
  const reply = await replyTo(target, toolRequest(operation, token, fields))
  return { door: "MCP", reply, envelope: toolEnvelope(reply) }
}
