import { Effect } from "effect"
import { BaseUrl } from "../../../server.ts"

// Requests as clients send them, and what they are answered.

export interface OauthResponse {
  readonly status: number
  readonly headers: Headers
  readonly body: Readonly<Record<string, unknown>>
}

export const AUTHORIZATIONS = "/v3/oauth/authorizations"
export const REVOKE = "/v3/oauth/revoke"
export const REGISTRATIONS = "/v3/oauth/registrations"

export const sendRequest = Effect.fnUntraced(function* (path: string, init: RequestInit = {}) {
  const base = yield* BaseUrl
  return yield* Effect.promise(async (): Promise<OauthResponse> => {
    const response = await fetch(`${base}${path}`, { redirect: "manual", ...init })
    const text = await response.text()
    const isJson = text !== "" && response.headers.get("content-type")?.startsWith("application/json") === true
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : { text } }
  })
})

type Fields = Readonly<Record<string, string>>

/** As libraries for OAuth send it. */
export const sendForm = (path: string, fields: Fields | string, headers: Fields = {}) =>
  sendRequest(path, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
    body: typeof fields === "string" ? fields : new URLSearchParams(fields).toString()
  })

/** As clients of this API send it. */
export const sendJson = (path: string, fields: unknown, headers: Fields = {}) =>
  sendRequest(path, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: typeof fields === "string" ? fields : JSON.stringify(fields)
  })

export const basicAuthorization = (id: string, secret: string): Fields => ({
  authorization: `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString("base64")}`
})
