import Fastify from "fastify"
import { refusedEnvelope } from "./entry-answers.ts"
import { answerOn } from "./routes.ts"
import { settings } from "./settings.ts"

// Reference: Fastify that does what is asked and nothing else. It compares the token, as whoever serves one client may.

const app = Fastify()

app.addHook("onRequest", async (request, reply) => {
  if (request.headers["service-access-token"] !== settings.token) {
    return reply.send(refusedEnvelope(401, "Invalid access token"))
  }
})

answerOn(app)

await app.listen({ port: settings.port, host: "127.0.0.1" })
