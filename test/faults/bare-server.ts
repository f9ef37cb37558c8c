// Answers all that comes as the service refuses, and does nothing else: the least that a server of Node takes for it.
import { createServer } from "node:http"
import { Predicate } from "effect"

const envelope = {
  request_id: "0199d0a2-7a52-7c3e-b6a1-2f1c7c0e4d11",
  error_code: 500,
  error_msg: "The service is overloaded: this call would have waited too long. Nothing was done; retry it later.",
  data: {}
}
const body = JSON.stringify(envelope)
const headers = {
  "retry-after": "1",
  "cache-control": "no-store",
  "content-type": "application/json",
  "content-length": Buffer.byteLength(body),
  "x-request-id": envelope.request_id
}

const server = createServer((_, response) => response.writeHead(200, headers).end(body))
server.listen(0, "127.0.0.1", () => {
  const address = server.address()
  process.send?.(Predicate.isObject(address) ? address.port : 0)
})
process.once("disconnect", () => process.exit())
