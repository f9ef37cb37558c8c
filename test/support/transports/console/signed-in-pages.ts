import { assert } from "@effect/vitest"
import { Clock, DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { TrustedAccount } from "../../../../src/contract/caller.ts"
import { Clients } from "../../../../src/domain/access/oauth/Clients.ts"
import { newSessionCookie } from "../../../../src/domain/access/sign-in/cookies.ts"
import { Passwords } from "../../../../src/domain/access/sign-in/Passwords.ts"
import { type Session, Sessions } from "../../../../src/domain/access/sign-in/Sessions.ts"
import { ACCESS_PATH } from "../../../../src/transports/console/host/urls.ts"
import { ACTION_FIELD, deriveFormToken, FORM_TOKEN_FIELD } from "../../../../src/transports/console/visit.ts"
import { toConsoleCaller } from "../../console-caller.ts"
import { toPasswordConfirmation } from "../../domain/access/sign-in/sign-in-accounts.ts"
import { insertAccount, layerTest } from "../../harness.ts"
import { BaseUrl, layerHttpServerOf } from "../../http-server.ts"

// The pages of the console, without a sign-in: who is signed in is said by the test.

const sessionsByCookie = new Map<string, Session>()

export const PASSWORD = "correct horse"

/** Says who is signed in; answers the browser's cookie. */
export const openSession = (session: Session): string => {
  const cookie = newSessionCookie()
  sessionsByCookie.set(cookie, session)
  return cookie
}

/** Sessions of whoever is said to be signed in. */
export const layerSessions = Layer.succeed(Sessions, {
  signIn: () => Effect.die("nobody signs in here"),
  find: (cookie) => Effect.sync(() => sessionsByCookie.get(cookie)),
  confirmPassword: (cookie, { password }) => {
    const session = sessionsByCookie.get(cookie)
    if (session === undefined || password !== PASSWORD) return Effect.fail({ _tag: "WrongPassword" as const })
    return Effect.map(Clock.currentTimeMillis, (now) => {
      sessionsByCookie.set(cookie, { ...session, passwordAt: now })
      return toPasswordConfirmation(cookie, session.person.caller.accountId)
    })
  },
  signOut: () => Effect.void
})

export const PUBLIC_URL = "http://127.0.0.1:8080"

/** A service behind a socket, with pages for who is said to be signed in. */
export const layerSignedInPagesOf = (service: typeof layerTest) =>
  layerHttpServerOf(service, { publicUrl: PUBLIC_URL }, Layer.mergeAll(layerSessions, Passwords.layer, Clients.layer))

/** The same over the service of the test run, which reaches no other host. */
export const layerSignedInPages = layerSignedInPagesOf(layerTest)

/** Signs an account in, as it stands; answers the browser's cookie. */
export const signIn = Effect.fn("signedIn")(function* (accountId: number, passwordAgoMs = 0) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{
    operator_id: number
    role: "main" | "sub"
    name: string
    email: string
    operator: string
    time_zone: string
    currency: string
    edition: "pro" | "basic"
    status: TrustedAccount["status"]
    subscription_until: Date | null
  }>`
    SELECT a.operator_id, a.role, a.name, a.email, o.name AS operator, o.time_zone, o.currency, o.edition, o.status, o.subscription_until
    FROM accounts a JOIN operators o ON o.id = a.operator_id WHERE a.id = ${accountId}`
  if (row === undefined) return yield* Effect.die(new Error(`there is no account ${accountId}`))
  const { subscription_until: until } = row
  return openSession({
    email: row.email,
    operatorName: row.operator,
    passwordAt: (yield* Clock.currentTimeMillis) - passwordAgoMs,
    person: {
      caller: toConsoleCaller({
        operatorId: row.operator_id,
        accountId,
        accountName: row.name,
        role: row.role,
        timeZone: row.time_zone,
        currency: row.currency,
        edition: row.edition
      }),
      status: row.status,
      subscriptionUntil: until === null ? null : DateTime.fromDateUnsafe(until)
    }
  })
}, Effect.orDie)

/** A sub-account of an operator, signed in. */
export const signInSubAccount = Effect.fn("signedInSub")(function* (operatorId: number, name = "Cleaner") {
  const accountId = yield* insertAccount(operatorId, "sub", name)
  return { accountId, cookie: yield* signIn(accountId) }
})

export interface AccessPageResponse {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

const fetchAccessPage = Effect.fnUntraced(function* (path: string, cookie: string, init: RequestInit = {}) {
  const base = yield* BaseUrl
  return yield* Effect.promise(async (): Promise<AccessPageResponse> => {
    const headers = { cookie: `latchkey=${cookie}`, ...init.headers }
    const response = await fetch(`${base}${path}`, { redirect: "manual", ...init, headers })
    return { status: response.status, headers: response.headers, text: await response.text() }
  })
})

/** Looks at the page of access. */
export const getAccessPage = (cookie: string, query = "") => fetchAccessPage(`${ACCESS_PATH}${query}`, cookie)

/** What the page's own form would send. */
export const makeAccessForm = (
  cookie: string,
  act: string,
  fields: Readonly<Record<string, string>>
): URLSearchParams =>
  new URLSearchParams({ [FORM_TOKEN_FIELD]: deriveFormToken(cookie), [ACTION_FIELD]: act, ...fields })

/** Sends a form to the page of access. */
export const postAccessForm = (cookie: string, form: URLSearchParams, headers: Readonly<Record<string, string>> = {}) =>
  fetchAccessPage(ACCESS_PATH, cookie, { method: "POST", body: form, headers })

/** Sends one of the page's own forms. */
export const sendAccessForm = (cookie: string, act: string, fields: Readonly<Record<string, string>>) =>
  postAccessForm(cookie, makeAccessForm(cookie, act, fields))

/** Why a form was not taken. */
export const findAlert = ({ text }: AccessPageResponse): string | undefined => /role="alert">([^<]*)</.exec(text)?.[1]

/** The forms of a page that do something, each with its fields and their values, as a browser would send them. */
export const findForms = (text: string, act: string): ReadonlyArray<URLSearchParams> =>
  Array.from(text.matchAll(/<form [\s\S]*?<\/form>/g), ([form]) => form)
    .filter((form) => form.includes(`name="${ACTION_FIELD}" value="${act}"`))
    .map((form) => {
      const fields = new URLSearchParams()
      for (const [, name = "", value = ""] of form.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g)) {
        fields.append(name, value)
      }
      fields.append(ACTION_FIELD, act)
      return fields
    })

/** The section of a page by its id. */
export const findSection = (text: string, id: string): string =>
  new RegExp(`<section id="${id}">[\\s\\S]*?</section>`).exec(text)?.[0] ?? assert.fail(`the page has no section ${id}`)
