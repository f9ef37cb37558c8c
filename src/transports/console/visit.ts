import { createHmac, timingSafeEqual } from "node:crypto"
import type { Effect } from "effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import { type HttpServerResponse, setCookieUnsafe } from "effect/http/HttpServerResponse"
import type { CurrentActor } from "../../contract/actor.ts"
import type { CurrentCaller } from "../../contract/caller.ts"
import { KNOWN_BROWSER_COOKIE_PATTERN, SESSION_COOKIE_PATTERN } from "../../domain/access/sign-in/cookies.ts"
import type { Session } from "../../domain/access/sign-in/Sessions.ts"

export type SubmittedForm = URLSearchParams

export interface Visit {
  readonly target: string
  readonly path: string
  readonly query: URLSearchParams
  /** Browsers get a cookie even before sign-in, so that their form tokens differ. */
  readonly cookie: string
  /** Identifies a browser that has signed in before. */
  readonly knownBrowserCookie?: string | undefined
  readonly formToken: string
  /** Idempotency key of the page, new for each display. */
  readonly formKey: string
  readonly session: Session | undefined
  /** The API's error message if it rejects the account. */
  readonly accountProblem?: string | undefined
  readonly ipAddress: string
}

export interface SignedInVisit extends Visit {
  readonly session: Session
}

export type PageResponse = Effect.Effect<HttpServerResponse, never, CurrentActor>

export type SignedInPageResponse = Effect.Effect<HttpServerResponse, never, CurrentActor | CurrentCaller>

/** Keys of `actions` are values of the button `act`. */
export interface SignedInPage {
  readonly path: string
  readonly show: (visit: SignedInVisit) => SignedInPageResponse
  readonly actions: ReadonlyMap<string, (visit: SignedInVisit, form: SubmittedForm) => SignedInPageResponse>
  /** Shows the values of a form that was shown before the current session. Changes nothing. */
  readonly restoreForm?: (visit: SignedInVisit, form: SubmittedForm) => SignedInPageResponse
}

export interface PublicPage {
  readonly path: string
  readonly isPublic: true
  readonly show: (visit: Visit) => PageResponse
  readonly actions: ReadonlyMap<string, (visit: Visit, form: SubmittedForm) => PageResponse>
}

export type ConsolePage = SignedInPage | PublicPage

/** PostgreSQL cannot store U+0000 or lone surrogates. */
export const isStorable = (params: URLSearchParams): boolean =>
  Array.from(params).every((pair) => pair.every((text) => text.isWellFormed() && !text.includes("\u0000")))

export const FORM_TOKEN_FIELD = "form_token"
export const FORM_KEY_FIELD = "form_key"
export const ACTION_FIELD = "act"

/** Other sites cannot read the cookie, so they cannot know the token. A derived token need not be stored. */
export const deriveFormToken = (cookie: string): string =>
  createHmac("sha256", cookie).update("form").digest("base64url")

export const hasValidFormToken = (form: SubmittedForm, formToken: string): boolean => {
  const submittedToken = Buffer.from(form.get(FORM_TOKEN_FIELD) ?? "")
  const expected = Buffer.from(formToken)
  return submittedToken.length === expected.length && timingSafeEqual(submittedToken, expected)
}

const isHttps = (publicUrl: string): boolean => publicUrl.startsWith("https:")

/** The `__Host-` prefix binds the cookie to this host (RFC 6265bis). Browsers accept the prefix over HTTPS only. */
export const sessionCookieName = (publicUrl: string): string => (isHttps(publicUrl) ? "__Host-latchkey" : "latchkey")
export const knownBrowserCookieName = (publicUrl: string): string => `${sessionCookieName(publicUrl)}_known`

/** If several cookies have this name, browsers send the one with the most specific path first. */
const readCookie = ({ headers }: HttpServerRequest, name: string): string =>
  (headers["cookie"] ?? "")
    .split(";")
    .map((each) => each.trim())
    .find((each) => each.startsWith(`${name}=`))
    ?.slice(name.length + 1) ?? ""

const keepIfMatching = (text: string, pattern: RegExp): string | undefined => (pattern.test(text) ? text : undefined)

export const readSessionCookie = (request: HttpServerRequest, name: string): string | undefined =>
  keepIfMatching(readCookie(request, name), SESSION_COOKIE_PATTERN)

export const readKnownBrowserCookie = (request: HttpServerRequest, name: string): string | undefined =>
  keepIfMatching(readCookie(request, name), KNOWN_BROWSER_COOKIE_PATTERN)

/** Without `maxAgeMs`, browsers delete the cookie when they close. The service decides how long its value is valid. */
export const withCookie =
  (name: string, value: string, maxAgeMs?: number) =>
  (response: HttpServerResponse): HttpServerResponse =>
    setCookieUnsafe(response, name, value, {
      path: "/",
      httpOnly: true,
      secure: true,
      sameSite: "lax",
      ...(maxAgeMs === undefined ? {} : { maxAge: maxAgeMs })
    })

export const parseRecordId = (text: string | null | undefined): number | undefined =>
  /^[1-9]\d{0,14}$/.test(text ?? "") ? Number(text) : undefined
