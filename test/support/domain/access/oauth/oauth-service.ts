import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { computeDigest } from "../../../../../src/admission/gate/credentials.ts"
import { hashPassword } from "../../../../../src/domain/access/operators/password.ts"
import { PublicUrl } from "../../../../../src/platform/installation.ts"
import { ACTION_FIELD, FORM_TOKEN_FIELD } from "../../../../../src/transports/console/visit.ts"
import { createOperator } from "../../../harness.ts"
import { layerHttpServer } from "../../../http-server.ts"
import { findFreePort } from "../../../tools/cli/latchkey-process.ts"

// The whole service for whole flows: it knows the address it is reached at, as everything OAuth says names it.

export const layerOauthService = Layer.unwrap(
  Effect.map(findFreePort, (port) => {
    const publicUrl = `http://127.0.0.1:${port}`
    return Layer.provide(layerHttpServer({ port: Number(port), publicUrl }), Layer.succeed(PublicUrl, publicUrl))
  })
)

export const SIGN_IN_PASSWORD = "correct horse battery"

/** A host who can sign in. */
export const createSignInHost = Effect.gen(function* () {
  const [sql, operator] = [yield* SqlClient.SqlClient, yield* createOperator()]
  const hash = yield* hashPassword(SIGN_IN_PASSWORD)
  const rows = yield* sql<{ email: string }>`
    UPDATE accounts SET password_hash = ${hash}
    WHERE operator_id = ${operator.operatorId} AND id = ${operator.accountId} RETURNING email`
  return { ...operator, email: rows[0]?.email ?? "nobody" }
})

/** A partner's client with these addresses; its secret is kept as its digest only. */
export const createPartnerClient = Effect.fnUntraced(function* (redirectUris: ReadonlyArray<string>) {
  const [sql, suffix] = [yield* SqlClient.SqlClient, crypto.randomUUID().replaceAll("-", "")]
  const [id, secret] = [`lkapp_${suffix}`, `lksecret_${suffix}${suffix}`]
  yield* sql`
    INSERT INTO oauth_clients (id, name, redirect_uris, secret_digest, created_at)
    VALUES (${id}, 'Partner', ${[...redirectUris]}, ${computeDigest(secret)}, now())`
  return { id, secret }
})

/** As much of a browser as forms need. */
export const makeFormBrowser = (base: string) => {
  let cookie = ""
  const visit = async (target: string, init: RequestInit = {}) => {
    const response = await fetch(new URL(target, base), {
      ...init,
      redirect: "manual",
      headers: { ...(cookie === "" ? {} : { cookie }), ...init.headers }
    })
    const setCookie = response.headers.getSetCookie().find((each) => /^(?:__Host-)?latchkey=/.test(each))
    if (setCookie !== undefined) cookie = setCookie.split(";", 1)[0] ?? ""
    return { status: response.status, location: response.headers.get("location") ?? "", text: await response.text() }
  }
  /** Opens a page and sends a form of it. */
  const submit = async (target: string, act: string, fields: Readonly<Record<string, string>>) => {
    const token = /name="form_token" value="([^"]+)"/.exec((await visit(target)).text)?.[1] ?? ""
    const body = new URLSearchParams({ [FORM_TOKEN_FIELD]: token, [ACTION_FIELD]: act, ...fields })
    return visit(target, { method: "POST", body, headers: { origin: base } })
  }
  return { visit, submit }
}

/** Where a host is led that signs in and gives access, or refuses it. */
export const giveConsent = (
  base: string,
  email: string,
  authorizationUrl: string,
  act: "allow" | "deny",
  scope = "writable",
  password = SIGN_IN_PASSWORD
) =>
  Effect.promise(async () => {
    const browser = makeFormBrowser(base)
    const { location } = await browser.visit(authorizationUrl)
    const next = new URL(location, base).searchParams.get("next") ?? ""
    const signInResponse = await browser.submit(location, "sign_in", { email, password, next })
    return (await browser.submit(signInResponse.location, act, { scope })).location
  })
