import { Clock, Effect, Redacted } from "effect"
import { signedHeaders } from "../../../../src/domain/webhooks/deliveries/signature.ts"

// What a connector sends, well or badly signed, and what it is answered.

export interface SentMessage {
  readonly secrets: readonly [string, ...ReadonlyArray<string>]
  readonly body: string | Uint8Array<ArrayBuffer>
  readonly id?: string
  /** Seconds from now. */
  readonly off?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Sent piece by piece, without saying how much there is. */
  readonly chunked?: true
}

export interface MessageResponse {
  readonly status: number
  readonly headers: Headers
  readonly body: Readonly<Record<string, unknown>>
}

let messages = 0

const inPieces = (body: string | Uint8Array<ArrayBuffer>) =>
  new ReadableStream({
    start: (pieces) => {
      pieces.enqueue(typeof body === "string" ? new TextEncoder().encode(body) : body)
      pieces.close()
    }
  })

/** The headers of a message. */
export const signedHeadersOf = Effect.fnUntraced(function* ({ secrets, body, id, off = 0, headers }: SentMessage) {
  const timestamp = Math.floor((yield* Clock.currentTimeMillis) / 1000) + off
  const [first, ...others] = secrets
  const signed = signedHeaders({ id: id ?? `m-${++messages}`, timestamp, body }, [
    Redacted.make(first),
    ...others.map((each) => Redacted.make(each))
  ])
  return { "content-type": "application/json", ...signed, ...headers }
})

/** Sends a message to an address. */
export const sendMessage = Effect.fnUntraced(function* (url: string, sent: SentMessage) {
  const headers = yield* signedHeadersOf(sent)
  const how = sent.chunked === true ? { body: inPieces(sent.body), duplex: "half" as const } : { body: sent.body }
  return yield* Effect.promise(async (): Promise<MessageResponse> => {
    const response = await fetch(url, { method: "POST", headers, ...how })
    return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) }
  })
})
