import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { getCACertificates, setDefaultCACertificates } from "node:tls"
import { Context, Effect, Layer } from "effect"
import { startDemoService } from "../support/first-start.ts"
import { findFreePort, makeEmptyFolder } from "../support/tools/cli/latchkey-process.ts"
import { replaced, textOf } from "./handed-over.ts"

// The service behind a proxy that runs with the file of deploy/, changed where a machine must change it and nowhere else.

const NAME = "localhost"

/** A folder with a certificate for this machine that it signed itself, trusted by this process meanwhile. */
const certified = (openssl: string) =>
  Effect.gen(function* () {
    const folder = yield* makeEmptyFolder
    const [key, certificate] = [join(folder, "key.pem"), join(folder, "certificate.pem")]
    const of = ["-subj", `/CN=${NAME}`, "-addext", `subjectAltName=DNS:${NAME}`, "-days", "2"]
    const asked = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", ...of]
    execFileSync(openssl, [...asked, "-keyout", key, "-out", certificate], { stdio: "pipe" })
    const before = getCACertificates("default")
    yield* Effect.acquireRelease(
      Effect.sync(() => setDefaultCACertificates([...before, readFileSync(certificate, "utf8")])),
      () => Effect.sync(() => setDefaultCACertificates(before))
    )
    return { folder, key, certificate }
  })

export interface Place {
  readonly folder: string
  readonly key: string
  readonly certificate: string
  /** Where callers reach the proxy, over TLS and without. */
  readonly tlsPort: string
  readonly plainPort: string
  /** Where the service is, and where nobody is. */
  readonly servicePort: string
  readonly deadPort: string
}

/** How a proxy is run: its program, and its arguments once its files are written. */
export interface Proxy {
  readonly program: string
  readonly check: (place: Place) => ReadonlyArray<string>
  readonly run: (place: Place) => ReadonlyArray<string>
}

export const nginx = (program: string): Proxy => {
  const written = (place: Place): string => {
    const { folder } = place
    const server = replaced(textOf("deploy/nginx/latchkey.conf"), {
      "    listen [::]:443 ssl http2;\n": "",
      "    listen [::]:80;\n": "",
      "listen 443 ssl": `listen 127.0.0.1:${place.tlsPort} ssl`,
      "listen 80;": `listen 127.0.0.1:${place.plainPort};`,
      "server_name api.example.com": `server_name ${NAME}`,
      "/etc/letsencrypt/live/api.example.com/fullchain.pem": place.certificate,
      "/etc/letsencrypt/live/api.example.com/privkey.pem": place.key,
      "server 127.0.0.1:8080": `server 127.0.0.1:${place.servicePort}`,
      "# server 127.0.0.1:8081": `server 127.0.0.1:${place.deadPort}`,
      "/var/log/nginx/": `${folder}/`
    })
    const file = join(folder, "nginx.conf")
    writeFileSync(join(folder, "latchkey.conf"), server)
    writeFileSync(
      file,
      [
        ...(process.getuid?.() === 0 ? ["user root;"] : []),
        `daemon off; pid ${folder}/pid; error_log ${folder}/error.log; events { worker_connections 256; }`,
        "http {",
        ...["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((each) => `${each}_temp_path ${folder}/${each};`),
        `include ${folder}/latchkey.conf; }`
      ].join("\n")
    )
    return file
  }
  return {
    program,
    check: (place) => ["-t", "-e", join(place.folder, "early.log"), "-c", written(place)],
    run: (place) => ["-e", join(place.folder, "early.log"), "-c", written(place)]
  }
}

export const caddy = (program: string): Proxy => {
  const written = (place: Place): string => {
    const ports = `\thttp_port ${place.plainPort}\n\thttps_port ${place.tlsPort}`
    const options = `\tadmin off\n${ports}\n\tdefault_bind 127.0.0.1`
    const text = replaced(textOf("deploy/caddy/Caddyfile"), {
      "{$SITE:api.example.com} {": `${NAME} {\n\ttls ${place.certificate} ${place.key}`,
      "{$UPSTREAM:127.0.0.1:8080}": `127.0.0.1:${place.servicePort} 127.0.0.1:${place.deadPort}`,
      "\tlog default {": `${options}\n\tlog default {`
    })
    const file = join(place.folder, "Caddyfile")
    writeFileSync(file, text)
    return file
  }
  const withFile = (verb: string) => (place: Place) => [verb, "--adapter", "caddyfile", "--config", written(place)]
  return { program, check: withFile("validate"), run: withFile("run") }
}

/** What a proxy leaves of its own goes into the folder, too. */
const environment = (folder: string) => {
  const home = join(folder, "home")
  mkdirSync(home, { recursive: true })
  return { PATH: process.env["PATH"] ?? "", HOME: home, XDG_DATA_HOME: home, XDG_CONFIG_HOME: home }
}

/** What a proxy says, beside the logs that its file names. */
const saidIn = ({ folder }: Place) => join(folder, "said.log")

const running = ({ program, run }: Proxy, place: Place) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const said = openSync(saidIn(place), "a")
      const child = spawn(program, run(place), { env: environment(place.folder), stdio: ["ignore", said, said] })
      closeSync(said)
      return child
    }),
    (child) =>
      Effect.promise(async () => {
        const ended = child.exitCode === null ? once(child, "exit") : undefined
        child.kill("SIGTERM")
        await ended
      })
  )

/** The service with a demo operator, as proxies lead to it. */
export class Proxied extends Context.Service<
  Proxied,
  {
    readonly place: Place
    readonly base: string
    readonly plain: string
    readonly token: string
    readonly email: string
    readonly password: string
  }
>()("latchkey/test/Proxied") {
  static readonly layer = (openssl: string) =>
    Layer.effect(
      Proxied,
      Effect.gen(function* () {
        const place: Place = {
          ...(yield* certified(openssl)),
          ...{ tlsPort: yield* findFreePort, plainPort: yield* findFreePort },
          ...{ servicePort: yield* findFreePort, deadPort: yield* findFreePort }
        }
        const base = `https://${NAME}:${place.tlsPort}`
        const { token, email, password } = yield* startDemoService({
          ...{ LOG_LEVEL: "warn", PORT: place.servicePort, PUBLIC_URL: base, TRUST_PROXY: "1" }
        })
        return { place, base, plain: `http://${NAME}:${place.plainPort}`, token, email, password }
      })
    )
}

/** The proxy, once it has nothing against its file and the service answers through it; gone with the scope. */
export const through = Effect.fnUntraced(function* (proxy: Proxy) {
  const { place, base } = yield* Proxied
  const env = environment(place.folder)
  yield* Effect.sync(() => execFileSync(proxy.program, proxy.check(place), { env, stdio: "pipe" }))
  yield* running(proxy, place)
  yield* answering(`${base}/health/ready`)
})

/** The same of a proxy behind which nobody is: answers what it says of a request to that path, once it has answered. */
export const saidOfAway = Effect.fnUntraced(function* (proxy: Proxy, path: string, headers: Record<string, string>) {
  const { place } = yield* Proxied
  const away: Place = {
    ...place,
    folder: yield* makeEmptyFolder,
    ...{ servicePort: place.deadPort, tlsPort: yield* findFreePort, plainPort: yield* findFreePort }
  }
  yield* running(proxy, away)
  const asked = Effect.promise(() =>
    fetch(`https://${NAME}:${away.tlsPort}${path}`, { headers }).then(
      ({ status }) => status,
      () => 0
    )
  )
  const status = yield* Effect.repeat(
    Effect.tap(asked, () => Effect.promise(() => setTimeout(BETWEEN_MS))),
    {
      until: (answered) => answered > 0,
      times: LOOKS
    }
  )
  return { status, said: readFileSync(saidIn(away), "utf8") }
})

/** Looks for it, and milliseconds between two. */
const LOOKS = 1_200
const BETWEEN_MS = 50

const answering = (url: string) =>
  Effect.promise(async () => {
    let why: unknown
    for (let look = 0; look < LOOKS; look++) {
      why = await fetch(url).then(
        (response) => (response.ok ? undefined : response.status),
        (error) => error
      )
      if (why === undefined) return
      await setTimeout(BETWEEN_MS)
    }
    throw new Error(`${url} does not answer`, { cause: why })
  })
