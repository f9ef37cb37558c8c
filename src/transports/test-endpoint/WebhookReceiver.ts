import { Context, DateTime, Effect, Layer } from "effect"
import { HttpServerResponse } from "effect/http"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import { BadRequest } from "../../contract/errors.ts"
import { clearAfterReset } from "../../platform/database/ResetListeners.ts"
import { splitTarget } from "../http/paths.ts"

/** Older deliveries are dropped. */
export const RECEIVED_DELIVERIES_MAX = 1_000

export type ReceivedDelivery = {
  readonly received_at: string
  /** Status of the receiver's response. */
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** The text that was sent, because the signature covers it. */
  readonly body: string
}

type Response = HttpServerResponse.HttpServerResponse

const STATUS = /^[2-5]\d\d$/

const invalidStatusError = new BadRequest({ message: "status: must be a whole number from 200 to 599." })

/** A receiver of webhooks inside a test server. It keeps what it gets, and responds with the status it is asked for. */
export class WebhookReceiver extends Context.Service<
  WebhookReceiver,
  {
    /** The query parameter `status` is the status of the response, 200 by default. */
    readonly receive: (request: HttpServerRequest, body: string) => Effect.Effect<Response, BadRequest>
    /** Oldest first. */
    readonly list: Effect.Effect<ReadonlyArray<ReceivedDelivery>>
  }
>()("latchkey/transports/test-endpoint/WebhookReceiver") {
  static readonly layer = Layer.effect(
    WebhookReceiver,
    Effect.gen(function* () {
      const deliveries: Array<ReceivedDelivery> = []
      yield* clearAfterReset(Effect.sync(() => deliveries.splice(0)))
      return {
        receive: Effect.fnUntraced(function* (request, body) {
          const status = new URLSearchParams(splitTarget(request.url)[1]).get("status") ?? "200"
          if (!STATUS.test(status)) return yield* invalidStatusError
          if (deliveries.length >= RECEIVED_DELIVERIES_MAX) deliveries.shift()
          deliveries.push({
            received_at: (yield* DateTime.nowAsDate).toISOString(),
            status: Number(status),
            headers: { ...request.headers },
            body
          })
          return HttpServerResponse.empty({ status: Number(status) })
        }),
        list: Effect.sync(() => deliveries.slice())
      }
    })
  )
}
