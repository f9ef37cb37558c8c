import { randomBytes } from "node:crypto"
import { Effect } from "effect"
import { BaseUrl } from "../../http-server.ts"

// A browser as far as the console's door sees one: it keeps cookies, follows nothing by itself, and sends forms as they are.

export interface BrowserResponse {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

const ENTITY_CHARACTERS: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'"
}

const decodeEntities = (text: string): string =>
  text.replace(/&(?:amp|lt|gt|quot|#39);/g, (sign) => ENTITY_CHARACTERS[sign] ?? sign)

/** Names and values of hidden fields of a page; of a name that is there twice the last counts. */
export const findHiddenFields = (text: string): ReadonlyArray<readonly [string, string]> =>
  Array.from(text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g), ([, name = "", value = ""]) => [
    name,
    decodeEntities(value)
  ])

export const findFormToken = (text: string): string => /name="form_token" value="([^"]*)"/.exec(text)?.[1] ?? ""

export const findAlert = (text: string): string | undefined => {
  const [, alert] = /role="alert">([^<]*)</.exec(text) ?? []
  return alert === undefined ? undefined : decodeEntities(alert)
}

export const findTitle = (text: string): string => decodeEntities(/<title>([^<]*)</.exec(text)?.[1] ?? "")

/** The first sentence of a page that has little else. */
export const findFirstParagraph = (text: string): string =>
  decodeEntities(/<main[\s\S]*?<p>([^<]*)</.exec(text)?.[1] ?? "")

/** A browser with a jar of its own, at an address of its own where the door believes a proxy. */
export const newFormBrowser = Effect.map(BaseUrl, (base) => {
  const cookies = new Map<string, string>()
  const address = `2001:db8:${randomBytes(2).toString("hex")}:${randomBytes(2).toString("hex")}::1`
  const setCookieLines: Array<string> = []

  const request = (path: string, init: RequestInit = {}): Effect.Effect<BrowserResponse> =>
    Effect.promise(async () => {
      const headers = new Headers(init.headers)
      if (!headers.has("x-forwarded-for")) headers.set("x-forwarded-for", address)
      if (cookies.size > 0) headers.set("cookie", Array.from(cookies, ([name, value]) => `${name}=${value}`).join("; "))
      const response = await fetch(`${base}${path}`, { redirect: "manual", ...init, headers })
      for (const line of response.headers.getSetCookie()) {
        setCookieLines.push(line)
        const [pair = ""] = line.split(";", 1)
        const at = pair.indexOf("=")
        cookies.set(pair.slice(0, at), pair.slice(at + 1))
      }
      return { status: response.status, headers: response.headers, text: await response.text() }
    })

  const postForm = (path: string, fields: Readonly<Record<string, string>>, headers: Record<string, string> = {}) =>
    request(path, { method: "POST", body: new URLSearchParams(fields), headers })

  /** Fills in what is given of the form there, with its hidden fields. */
  const fillAndSend = (path: string, fields: Readonly<Record<string, string>>, headers: Record<string, string> = {}) =>
    Effect.flatMap(request(path), ({ text }) =>
      postForm(path.split("?", 1)[0] ?? path, { ...Object.fromEntries(findHiddenFields(text)), ...fields }, headers)
    )

  const signIn = (email: string, password: string, path = "/console") =>
    fillAndSend(path, { act: "sign_in", email, password })

  return { cookies, setCookieLines, request, postForm, fillAndSend, signIn }
})
