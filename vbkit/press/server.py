"""A small extension of the Jupyter server, for explorers.

A kernel's messages are short. By default TCP keeps a short one back until the browser
has confirmed the one before, for which it takes 40 milliseconds. A dragged explorer
would wait for that at every picture.

A saved notebook refers to a widget that ends with its kernel. Whoever opened it later
would read "model not found" where the picture was.
"""

from jupyter_server.services.kernels.connection.channels import (
    ZMQChannelsWebsocketConnection,
)

from vbkit.press import WIDGET


class PromptConnection(ZMQChannelsWebsocketConnection):
    """The server's own connection between a page and its kernel, without that delay."""

    def connect(self):
        self.websocket_handler.set_nodelay(True)
        return super().connect()


def keep_pictures(model, **_):
    """Let a notebook that is saved keep an explorer's picture, and not its widget."""
    if model["type"] != "notebook":
        return
    for cell in model["content"]["cells"]:
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if "image/png" in data:
                data.pop(WIDGET, None)


def _jupyter_server_extension_points():
    return [{"module": "vbkit.press.server"}]


def _load_jupyter_server_extension(app):
    """Take the place of the server's own connections, and of no others; keep pictures."""
    app.contents_manager.register_pre_save_hook(keep_pictures)
    settings = app.web_app.settings
    if settings["kernel_websocket_connection_class"] is ZMQChannelsWebsocketConnection:
        settings["kernel_websocket_connection_class"] = PromptConnection
