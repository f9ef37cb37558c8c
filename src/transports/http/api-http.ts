import type { Effect } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import type { ServiceResponse } from "../../contract/envelope.ts"
import type { BadRequest } from "../../contract/errors.ts"
import { NO_STORE } from "./caching.ts"

// Requests and responses of REST and MCP. Pages use HttpServerRequest and HttpServerResponse instead, which cost more per request.

export type ApiHeaders = Readonly<Record<string, string | undefined>>

export interface ApiRequest {
  readonly method: string
  /** Path and query, without scheme and host. */
  readonly url: string
  /** Lower-case names. */
  readonly headers: ApiHeaders
  /** IP address of the other end of the connection. */
  readonly remoteAddress: string | undefined
  /** Receives the body. Runs at most once per request. */
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

/** The client closed the connection, or the chunks of the body are malformed. */
export interface BodyUnreadable {
  readonly _tag: "BodyUnreadable"
}

/** Answers a request to REST or MCP. */
export type ApiHandler = (request: ApiRequest) => Effect.Effect<ApiResponse>

/** What a server answers with. */
export interface HttpApp {
  /** Answers a request to REST or MCP. Returns undefined if the path belongs to a page. */
  readonly answerApi: (request: ApiRequest) => Effect.Effect<ApiResponse> | undefined
  /** Returns the response to a request that the server refuses for one of its headers, whatever its path. */
  readonly reject: (request: ApiRequest, error: BadRequest) => Effect.Effect<ApiResponse>
  readonly pages: Effect.Effect<HttpServerResponse.HttpServerResponse, never, HttpServerRequest.HttpServerRequest>
}

/** Returns a response with a JSON body. Headers given here win over the content type. */
export const toJsonResponse = (body: string, headers: ApiResponse["headers"], status = 200): ApiResponse => ({
  status,
  headers: { "content-type": "application/json", ...headers },
  body
})

/** Returns an envelope as HTTP carries it: always with status 200 (specification, Response envelope). */
export const toEnvelopeResponse = ({ envelope, headers }: ServiceResponse): ApiResponse =>
  toJsonResponse(JSON.stringify(envelope), { ...NO_STORE, ...headers, "x-request-id": envelope.request_id })

export const withHeaders = (response: ApiResponse, headers: ApiResponse["headers"]): ApiResponse => ({
  ...response,
  headers: { ...response.headers, ...headers }
})

export const withStatus = (response: ApiResponse, status: number): ApiResponse => ({ ...response, status })

/** Returns the same response for a page's handler. */
export const toPageResponse = ({ status, headers, body }: ApiResponse): HttpServerResponse.HttpServerResponse =>
  body === "" ? HttpServerResponse.empty({ status, headers }) : HttpServerResponse.text(body, { status, headers })
