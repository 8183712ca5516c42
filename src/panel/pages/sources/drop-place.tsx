/** Where files and folders are dropped or chosen; without a script, files are chosen and sent. */
export const DropPlace = ({ path, identifier }: { path: string; identifier: string }) => (
  <section
    class="drop"
    aria-label="Upload"
    data-drop={`/panel/api/file-sources/${identifier}/files`}
  >
    <form method="post" action={`${path}/upload`} enctype="multipart/form-data">
      <label>
        Files <input type="file" name="files" multiple />
      </label>
      <label class="needs-script">
        or a folder <input type="file" name="folder" webkitdirectory />
      </label>
      <button class="btn">Upload</button>
      <span class="faint needs-script">or drop files and folders here</span>
    </form>
    <div data-drop-progress hidden role="status">
      <progress max="1" value="0" aria-label="Uploaded"></progress>
      <p></p>
      <ul class="plain problem"></ul>
    </div>
  </section>
);
