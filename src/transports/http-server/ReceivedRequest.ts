import type { IncomingMessage, ServerResponse } from "node:http"
import { Effect } from "effect"
import type { ApiHeaders, ApiRequest, BodyTooLarge, BodyUnreadable } from "../http/api-http.ts"

export class ReceivedRequest implements ApiRequest {
  readonly method: string
  readonly url: string
  readonly headers: ApiHeaders
  readonly #request: IncomingMessage
  readonly #response: ServerResponse

  constructor(request: IncomingMessage, response: ServerResponse) {
    this.method = request.method ?? ""
    this.url = toOriginForm(request.url ?? "")
    this.headers = toTextHeaders(request)
    this.#request = request
    this.#response = response
  }

  get remoteAddress(): string | undefined {
    return this.#request.socket.remoteAddress
  }

  /** Sends "100 Continue" only here, so that clients do not upload the body of a rejected request. */
  receiveBody(maxBytes: number): Effect.Effect<Uint8Array, BodyTooLarge | BodyUnreadable> {
    const [request, response] = [this.#request, this.#response]
    if (Number(request.headers["content-length"] ?? 0) > maxBytes) return bodyTooLarge
    return Effect.callback((resume) => {
      const chunks: Array<Buffer> = []
      let bytes = 0
      const stop = () => request.off("data", onData).off("end", onEnd).off("close", onClose).off("error", onClose)
      const onData = (chunk: Buffer) => {
        bytes += chunk.length
        chunks.push(chunk)
        if (bytes <= maxBytes) return
        stop()
        resume(bodyTooLarge)
      }
      const onEnd = () => {
        stop()
        const [first] = chunks
        resume(Effect.succeed(first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks)))
      }
      const onClose = () => {
        stop()
        resume(bodyUnreadable)
      }
      request.on("data", onData).on("end", onEnd).on("close", onClose).on("error", onClose)
      if (expectsContinue(request)) response.writeContinue()
      return Effect.sync(stop)
    })
  }
}

/** HTTP/1.0 expectations are ignored (RFC 9110, 10.1.1). */
export const expectsContinue = ({ headers, httpVersion }: IncomingMessage): boolean =>
  headers.expect !== undefined && httpVersion !== "1.0"

const bodyTooLarge = Effect.fail<BodyTooLarge>({ _tag: "BodyTooLarge" })
const bodyUnreadable = Effect.fail<BodyUnreadable>({ _tag: "BodyUnreadable" })

/** A server must also accept targets with scheme and host (RFC 9112, 3.2.2). */
const toOriginForm = (target: string): string => {
  if (target.startsWith("/") || !/^https?:\/\//i.test(target)) return target
  const url = URL.parse(target)
  return url === null ? target : `${url.pathname}${url.search}`
}

/** Node joins repeated headers, except `Set-Cookie`, which has no meaning in a request. */
const toTextHeaders = ({ headers }: IncomingMessage): ApiHeaders =>
  hasTextHeaders(headers) ? headers : withoutLists(headers)

const hasTextHeaders = (headers: IncomingMessage["headers"]): headers is Record<string, string | undefined> =>
  headers["set-cookie"] === undefined

const withoutLists = (headers: IncomingMessage["headers"]): ApiHeaders =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : []))
  )
