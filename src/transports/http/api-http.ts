import type { Effect } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import type { ServiceResponse } from "../../contract/envelope.ts"
import type { BadRequest } from "../../contract/errors.ts"
import { NO_STORE } from "./caching.ts"

// Types for REST and MCP. Pages use HttpServerRequest and HttpServerResponse, which cost more per request.

export type ApiHeaders = Readonly<Record<string, string | undefined>>

export interface ApiRequest {
  readonly method: string
  /** Path and query, without scheme and host. */
  readonly url: string
  /** Names are in lower case. */
  readonly headers: ApiHeaders
  readonly remoteAddress: string | undefined
  /** May run only once per request. */
  readonly receiveBody: (maxBytes: number) => Effect.Effect<Uint8Array, BodyTooLarge | BodyUnreadable>
}

export interface ApiResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface BodyTooLarge {
  readonly _tag: "BodyTooLarge"
}

/** The client closed the connection, or the chunked body is malformed. */
export interface BodyUnreadable {
  readonly _tag: "BodyUnreadable"
}

export type ApiHandler = (request: ApiRequest) => Effect.Effect<ApiResponse>

export interface HttpApp {
  readonly answerApi: (request: ApiRequest) => Effect.Effect<ApiResponse> | undefined
  readonly reject: (request: ApiRequest, error: BadRequest) => Effect.Effect<ApiResponse>
  readonly pages: Effect.Effect<HttpServerResponse.HttpServerResponse, never, HttpServerRequest.HttpServerRequest>
}

export const toJsonResponse = (body: string, headers: ApiResponse["headers"], status = 200): ApiResponse => ({
  status,
  headers: { "content-type": "application/json", ...headers },
  body
})

/** Returns HTTP status 200, even for an error (specification, Response envelope). */
export const toEnvelopeResponse = ({ envelope, headers }: ServiceResponse): ApiResponse =>
  toJsonResponse(JSON.stringify(envelope), { ...NO_STORE, ...headers, "x-request-id": envelope.request_id })

export const withHeaders = (response: ApiResponse, headers: ApiResponse["headers"]): ApiResponse => ({
  ...response,
  headers: { ...response.headers, ...headers }
})

export const withStatus = (response: ApiResponse, status: number): ApiResponse => ({ ...response, status })

export const toPageResponse = ({ status, headers, body }: ApiResponse): HttpServerResponse.HttpServerResponse =>
  body === "" ? HttpServerResponse.empty({ status, headers }) : HttpServerResponse.text(body, { status, headers })
