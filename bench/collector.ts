import { createServer } from "node:http"

/** A collector that takes whatever is exported to it. */
export const collector = (): Promise<{ readonly url: string; readonly close: () => void }> =>
  new Promise((resolve, reject) => {
    const sink = createServer((request, response) => {
      request.resume()
      request.once("end", () => response.writeHead(200, { "content-type": "application/json" }).end("{}"))
    })
    sink.once("error", reject)
    sink.listen(0, "127.0.0.1", () => {
      const address = sink.address()
      if (address === null || typeof address !== "object") return reject(new Error("the collector has no port"))
      resolve({ url: `http://127.0.0.1:${address.port}`, close: () => sink.close() })
    })
  })
