import { assert, describe, layer } from "@effect/vitest"
import { type OAuthClientProvider, UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import type { OAuthClientInformationMixed, OAuthTokens } from "@modelcontextprotocol/sdk/shared/auth.js"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import type { Page } from "playwright-core"
import { Browser, hasChromium, openPage, withChromiumNote } from "../../../support/browser.ts"
import {
  createSignInHost,
  layerOauthService,
  SIGN_IN_PASSWORD
} from "../../../support/domain/access/oauth/oauth-service.ts"
import { BaseUrl } from "../../../support/http-server.ts"

// An MCP client from nothing but the endpoint's address: the official SDK finds the rest, a host says yes in a browser.

/** Nobody listens there: what the browser is sent there with is seen in the browser. */
const CALLBACK = "http://127.0.0.1:33418/callback"

/** What an application keeps for the SDK. */
const keeping = () => {
  const kept: { tokens?: OAuthTokens; client?: OAuthClientInformationMixed; verifier: string; asked: URL | undefined } =
    {
      verifier: "",
      asked: undefined
    }
  const provider: OAuthClientProvider = {
    redirectUrl: CALLBACK,
    clientMetadata: { redirect_uris: [CALLBACK], client_name: "Test", token_endpoint_auth_method: "none" },
    state: () => "state-of-the-test",
    clientInformation: () => kept.client,
    saveClientInformation: (client) => {
      kept.client = client
    },
    tokens: () => kept.tokens,
    saveTokens: (tokens) => {
      kept.tokens = tokens
    },
    redirectToAuthorization: (url) => {
      kept.asked = url
    },
    saveCodeVerifier: (verifier) => {
      kept.verifier = verifier
    },
    codeVerifier: () => kept.verifier,
    // What a client does when its refresh token is refused: it begins anew.
    invalidateCredentials: () => {
      delete kept.tokens
    }
  }
  return { kept, provider }
}

/** Connects and lists the tools; undefined: a host must say yes first. */
const listed = async (transport: StreamableHTTPClientTransport) => {
  const client = new Client({ name: "test", version: "1" })
  const connected = await client.connect(transport).then(
    () => true,
    (error: unknown) => {
      if (error instanceof UnauthorizedError) return false
      throw error
    }
  )
  if (!connected) return undefined
  const { tools } = await client.listTools()
  await client.close()
  return tools.length
}

/** Signs in and says yes; answers what the browser was led back with. */
const allowed = async (page: Page, asked: URL, email: string) => {
  await page.goto(asked.href)
  await page.fill('[name="email"]', email)
  await page.fill('[name="password"]', SIGN_IN_PASSWORD)
  await page.click('button[value="sign_in"]')
  await page.check('[name="scope"][value="read-only"]')
  const [request] = await Promise.all([
    page.waitForRequest((each) => each.url().startsWith(CALLBACK)),
    page.click('button[value="allow"]')
  ])
  return new URL(request.url()).searchParams
}

describe.skipIf(!hasChromium)(withChromiumNote("an MCP client"), () => {
  layer(Layer.merge(layerOauthService, Browser.layer))((it) => {
    it.effect("finds the way, is given access, renews it, and loses it", () =>
      Effect.gen(function* () {
        const [base, host, page] = [yield* BaseUrl, yield* createSignInHost, yield* openPage()]
        const { kept, provider } = keeping()
        const transport = () => new StreamableHTTPClientTransport(new URL(`${base}/mcp`), { authProvider: provider })
        const first = transport()
        assert.isUndefined(yield* Effect.promise(() => listed(first)))
        const asked = kept.asked ?? new URL("none:")
        assert.strictEqual(kept.client?.client_id, "service_mcp")
        assert.strictEqual(asked.pathname, "/authorization")
        assert.strictEqual(asked.searchParams.get("resource"), `${base}/mcp`)

        const answer = yield* Effect.promise(() => allowed(page, asked, host.email))
        assert.deepStrictEqual([answer.get("state"), answer.get("iss")], ["state-of-the-test", base])
        yield* Effect.promise(() => first.finishAuth(answer.get("code") ?? ""))
        assert.strictEqual(kept.tokens?.scope, "read-only")
        assert.isAbove((yield* Effect.promise(() => listed(transport()))) ?? 0, 20)

        const before = kept.tokens ?? { access_token: "", token_type: "Bearer" }
        kept.tokens = { ...before, access_token: "lk_expired" }
        assert.isAbove((yield* Effect.promise(() => listed(transport()))) ?? 0, 20)
        const renewed = kept.tokens
        assert.notStrictEqual(renewed.access_token, before.access_token)
        assert.notStrictEqual(renewed.refresh_token, before.refresh_token)

        const body = new URLSearchParams({ client_id: "service_mcp", token: renewed.access_token })
        const revoked = yield* Effect.promise(() => fetch(`${base}/v3/oauth/revoke`, { method: "POST", body }))
        assert.strictEqual(revoked.status, 200)
        yield* TestClock.adjust("6 seconds")
        kept.asked = undefined
        assert.isUndefined(yield* Effect.promise(() => listed(transport())))
        assert.isDefined(kept.asked)
      })
    )
  })
})
