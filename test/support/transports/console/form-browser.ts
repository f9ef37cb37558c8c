import { randomBytes } from "node:crypto"
import { Effect } from "effect"
import { BaseUrl } from "../../server.ts"

// A browser as far as the console's door sees one: it keeps cookies, follows nothing by itself, and sends forms as they are.

export interface ShownPage {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

const SIGNS: Readonly<Record<string, string>> = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'" }

const meant = (text: string): string => text.replace(/&(?:amp|lt|gt|quot|#39);/g, (sign) => SIGNS[sign] ?? sign)

/** Names and values of hidden fields of a page; of a name that is there twice the last counts. */
export const findHiddenFields = (text: string): ReadonlyArray<readonly [string, string]> =>
  Array.from(text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g), ([, name = "", value = ""]) => [
    name,
    meant(value)
  ])

export const findFormToken = (text: string): string => /name="form_token" value="([^"]*)"/.exec(text)?.[1] ?? ""

export const findAlert = (text: string): string | undefined => {
  const [, alert] = /role="alert">([^<]*)</.exec(text) ?? []
  return alert === undefined ? undefined : meant(alert)
}

export const findTitle = (text: string): string => meant(/<title>([^<]*)</.exec(text)?.[1] ?? "")

/** The first sentence of a page that has little else. */
export const findFirstParagraph = (text: string): string => meant(/<main[\s\S]*?<p>([^<]*)</.exec(text)?.[1] ?? "")

/** A browser with a jar of its own, at an address of its own where the door believes a proxy. */
export const newBrowser = Effect.map(BaseUrl, (base) => {
  const jar = new Map<string, string>()
  const address = `2001:db8:${randomBytes(2).toString("hex")}:${randomBytes(2).toString("hex")}::1`
  const set: Array<string> = []

  const asked = (path: string, init: RequestInit = {}): Effect.Effect<ShownPage> =>
    Effect.promise(async () => {
      const headers = new Headers(init.headers)
      if (!headers.has("x-forwarded-for")) headers.set("x-forwarded-for", address)
      if (jar.size > 0) headers.set("cookie", Array.from(jar, ([name, value]) => `${name}=${value}`).join("; "))
      const response = await fetch(`${base}${path}`, { redirect: "manual", ...init, headers })
      for (const line of response.headers.getSetCookie()) {
        set.push(line)
        const [pair = ""] = line.split(";", 1)
        const at = pair.indexOf("=")
        jar.set(pair.slice(0, at), pair.slice(at + 1))
      }
      return { status: response.status, headers: response.headers, text: await response.text() }
    })

  const send = (path: string, fields: Readonly<Record<string, string>>, headers: Record<string, string> = {}) =>
    asked(path, { method: "POST", body: new URLSearchParams(fields), headers })

  /** Fills in what is given of the form there, with its hidden fields. */
  const fill = (path: string, fields: Readonly<Record<string, string>>, headers: Record<string, string> = {}) =>
    Effect.flatMap(asked(path), ({ text }) =>
      send(path.split("?", 1)[0] ?? path, { ...Object.fromEntries(findHiddenFields(text)), ...fields }, headers)
    )

  const signIn = (email: string, password: string, path = "/console") => fill(path, { act: "sign_in", email, password })

  return { jar, set, asked, send, fill, signIn }
})
