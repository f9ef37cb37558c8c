import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Browser, chromium, type Page } from "playwright-core"
import { CHROMIUM_PATH, DESKTOP_VIEWPORT, PHONE_VIEWPORT } from "../support/browser.ts"
import { PICTURED, type Pictured, REDIRECT, type Scene } from "./pages.ts"

// `npm run screens`: a picture of each page of the console at 390 and 1,280 pixels, in docs/screens, as its demo host sees it after
// the first start in an empty folder.

const root = join(import.meta.dirname, "../..")
const screens = join(root, "docs/screens")
const folder = mkdtempSync(join(tmpdir(), "latchkey-screens-"))
const port = 20_000 + (process.pid % 12_000)
const base = `http://127.0.0.1:${port}`
const { DATABASE_URL: _database, REDIS_URL: _redis, ...rest } = process.env
const env = {
  ...rest,
  DATA_DIR: join(folder, "data"),
  PORT: String(port),
  LOG_LEVEL: "warn",
  WEBHOOK_ALLOWED_HOSTS: "127.0.0.1"
}

interface Host {
  readonly email: string
  readonly password: string
  readonly token: string
}

/** Reads the first start's greeting, which has who may sign in. */
const greeted = (child: ChildProcess): Promise<Host> =>
  new Promise((resolve, reject) => {
    let printed = ""
    child.stdout?.on("data", (chunk: Buffer) => {
      printed += chunk.toString()
      const [, email, password] = /^ {2}e-mail {4}(\S+)\n {2}password {2}(\S+)$/m.exec(printed) ?? []
      const [, token] = /Service-Access-Token: (\S+)"/.exec(printed) ?? []
      if (email !== undefined && password !== undefined && token !== undefined) resolve({ email, password, token })
    })
    child.once("exit", (code) => reject(new Error(`the service ended with ${code}: ${printed}`)))
  })

/** The id of a new partner's client. */
const clientOf = (): string => {
  const args = ["bin/latchkey.js", "client", "create", "--name", "Tide Pricing", "--redirect", REDIRECT, "--json"]
  const made: unknown = JSON.parse(execFileSync(process.execPath, args, { cwd: root, env, encoding: "utf8" }))
  if (typeof made === "object" && made !== null && "client_id" in made) return String(made.client_id)
  throw new Error("client create printed no client_id")
}

const signIn = async (page: Page, { email, password }: Host) => {
  await page.goto(`${base}/console`)
  await page.fill("[name=email]", email)
  await page.fill("[name=password]", password)
  await page.click("[value=sign_in]")
  await page.waitForURL("**/console/calendar")
}

/** A receiver of webhooks that takes the first event and fails at the next. */
const listening = async (): Promise<Server> => {
  let had = 0
  const receiver = createServer((request, response) => {
    had += 1
    request.resume()
    response.writeHead(had === 1 ? 204 : 500).end(had === 1 ? undefined : "TypeError: ledger is not open")
  })
  await once(receiver.listen(0, "127.0.0.1"), "listening")
  return receiver
}

const entry = {
  direction: "expense",
  amount: 48,
  currency: "EUR",
  item_id: 52,
  payment_method_id: 301,
  note: "Laundry"
}

/** Something happens that a webhook tells of; the page says when its receiver has answered. */
const told = async (page: Page, { token }: Host, words: string) => {
  const headers = { "Service-Access-Token": token, "content-type": "application/json" }
  const response = await fetch(`${base}/v3/transactions`, { method: "POST", headers, body: JSON.stringify(entry) })
  const answered = await response.text()
  if (!answered.includes('"error_code":0')) throw new Error(answered)
  for (let looks = 0; looks < 50 && !(await page.content()).includes(words); looks += 1) {
    await page.waitForTimeout(200)
    await page.reload()
  }
}

/** What there is to be seen, made as a host and as who runs the service make it. */
const made = async (browser: Browser, host: Host, receiver: AddressInfo): Promise<Scene> => {
  const page = await browser.newPage()
  await signIn(page, host)
  await page.goto(`${base}/console/access`)
  await page.click("#webhooks summary")
  await page.fill("[name=url]", `http://127.0.0.1:${receiver.port}/latchkey`)
  // What the sandbox does by itself at the first start is no part of the picture.
  await page.uncheck("[value=listing_calendar_updated]")
  await page.click("[value=add_webhook]")
  await page.click("#webhooks td a")
  await told(page, host, "The receiver has it.")
  await told(page, host, "The receiver failed")
  const { pathname, search } = new URL(page.url())
  await page.close()
  return { clientId: clientOf(), webhook: `${pathname}${search}` }
}

/** Takes a picture of the page that is meant, or of none. */
const pictured = async (page: Page, { name, path, says, first }: Pictured, scene: Scene, width: number) => {
  await page.goto(`${base}${path(scene)}`)
  await first?.(page)
  await page.getByText(says).first().waitFor({ timeout: 5_000 })
  await page.screenshot({ path: join(screens, `${name}-${width}.png`), fullPage: true })
}

const take = async (browser: Browser, host: Host, scene: Scene) => {
  for (const viewport of [PHONE_VIEWPORT, DESKTOP_VIEWPORT]) {
    const page = await browser.newPage({ viewport, colorScheme: "light" })
    for (const each of PICTURED.filter(({ signedIn }) => !signedIn)) await pictured(page, each, scene, viewport.width)
    await signIn(page, host)
    for (const each of PICTURED.filter(({ signedIn }) => signedIn)) await pictured(page, each, scene, viewport.width)
    await page.close()
  }
}

mkdirSync(screens, { recursive: true })
const service = spawn(process.execPath, ["bin/latchkey.js", "serve"], {
  cwd: root,
  env,
  stdio: ["ignore", "pipe", "inherit"]
})
const browser = await chromium.launch({
  executablePath: CHROMIUM_PATH,
  headless: true,
  args: ["--no-sandbox", "--disable-gpu"]
})
const receiver = await listening()
try {
  const host = await greeted(service)
  const address = receiver.address()
  if (typeof address !== "object" || address === null) throw new Error("the receiver has no address")
  await take(browser, host, await made(browser, host, address))
} finally {
  await browser.close()
  receiver.close()
  service.removeAllListeners("exit")
  const over = new Promise((resolve) => service.once("exit", resolve))
  service.kill("SIGTERM")
  await over
  rmSync(folder, { recursive: true, force: true })
}
