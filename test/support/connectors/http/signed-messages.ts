import { Clock, Effect, Redacted } from "effect"
import { buildSignatureHeaders } from "../../../../src/domain/webhooks/deliveries/signature.ts"

// What a connector sends, well or badly signed, and what it is answered.

export interface ConnectorMessageInput {
  readonly secrets: readonly [string, ...ReadonlyArray<string>]
  readonly body: string | Uint8Array<ArrayBuffer>
  readonly id?: string
  /** Seconds from now. */
  readonly off?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Sent piece by piece, without saying how much there is. */
  readonly isChunked?: true
}

export interface MessageResponse {
  readonly status: number
  readonly headers: Headers
  readonly body: Readonly<Record<string, unknown>>
}

let messageCount = 0

const toChunkedStream = (body: string | Uint8Array<ArrayBuffer>) =>
  new ReadableStream({
    start: (pieces) => {
      pieces.enqueue(typeof body === "string" ? new TextEncoder().encode(body) : body)
      pieces.close()
    }
  })

/** The headers of a message. */
export const makeMessageHeaders = Effect.fnUntraced(function* ({
  secrets,
  body,
  id,
  off = 0,
  headers
}: ConnectorMessageInput) {
  const timestamp = Math.floor((yield* Clock.currentTimeMillis) / 1000) + off
  const [first, ...others] = secrets
  const signatureHeaders = buildSignatureHeaders({ id: id ?? `m-${++messageCount}`, timestamp, body }, [
    Redacted.make(first),
    ...others.map((each) => Redacted.make(each))
  ])
  return { "content-type": "application/json", ...signatureHeaders, ...headers }
})

/** Sends a message to an address. */
export const sendConnectorMessage = Effect.fnUntraced(function* (url: string, message: ConnectorMessageInput) {
  const headers = yield* makeMessageHeaders(message)
  const bodyOptions =
    message.isChunked === true
      ? { body: toChunkedStream(message.body), duplex: "half" as const }
      : { body: message.body }
  return yield* Effect.promise(async (): Promise<MessageResponse> => {
    const response = await fetch(url, { method: "POST", headers, ...bodyOptions })
    return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) }
  })
})
