import { Effect } from "effect"
import { BaseUrl } from "../../../http-server.ts"

// Requests as clients send them, and what they are answered.

export interface OauthResponse {
  readonly status: number
  readonly headers: Headers
  readonly body: Readonly<Record<string, unknown>>
}

export const AUTHORIZATIONS_PATH = "/v3/oauth/authorizations"
export const REVOKE_PATH = "/v3/oauth/revoke"
export const REGISTRATIONS_PATH = "/v3/oauth/registrations"

export const sendOauthRequest = Effect.fnUntraced(function* (path: string, init: RequestInit = {}) {
  const base = yield* BaseUrl
  return yield* Effect.promise(async (): Promise<OauthResponse> => {
    const response = await fetch(`${base}${path}`, { redirect: "manual", ...init })
    const text = await response.text()
    const isJson = text !== "" && response.headers.get("content-type")?.startsWith("application/json") === true
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : { text } }
  })
})

type StringFields = Readonly<Record<string, string>>

/** As libraries for OAuth send it. */
export const sendForm = (path: string, fields: StringFields | string, headers: StringFields = {}) =>
  sendOauthRequest(path, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
    body: typeof fields === "string" ? fields : new URLSearchParams(fields).toString()
  })

/** As clients of this API send it. */
export const sendJson = (path: string, fields: unknown, headers: StringFields = {}) =>
  sendOauthRequest(path, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: typeof fields === "string" ? fields : JSON.stringify(fields)
  })

export const makeBasicAuthorization = (id: string, secret: string): StringFields => ({
  authorization: `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString("base64")}`
})
