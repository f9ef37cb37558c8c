// Swagger UI calls the service that serves this page.

const { server, token } = document.getElementById("console").dataset

fetch("openapi.json")
  .then((response) => response.json())
  .then((spec) => {
    const ui = SwaggerUIBundle({
      spec: { ...spec, servers: [{ url: new URL(server, location.href).href }] },
      dom_id: "#console",
      deepLinking: true,
      docExpansion: "none",
      filter: true,
      tryItOutEnabled: true,
      persistAuthorization: false,
      defaultModelsExpandDepth: -1,
      validatorUrl: null,
      syntaxHighlight: { activated: true },
      onComplete: () => {
        if (token !== undefined) ui.preauthorizeApiKey("accessToken", token)
      }
    })
  })
  .catch((error) => {
    document.getElementById("console").textContent = String(error)
  })
