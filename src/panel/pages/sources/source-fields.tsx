import { Checkbox, SelectField, TextArea, TextField } from "../../components/form.tsx";
import type { FormState } from "../request/form.ts";
import type { SourceKind } from "./source-form.ts";

type FieldsProps = {
  state: FormState;
  /** Whether the source exists, so that an empty secret keeps the stored one. */
  isStored: boolean;
};

const KEPT = "Stored and never shown. Leave it empty to keep it.";

/** What a source of this kind needs to be found. */
export const ConfigFields = ({ kind, ...props }: FieldsProps & { kind: SourceKind }) => {
  switch (kind) {
    case "file_system":
      return null;
    case "web":
      return <WebFields {...props} />;
    case "s3":
      return <BucketFields {...props} />;
    case "r2":
      return <PrefixField {...props} />;
    case "cloud_drive":
      return <DriveFields {...props} />;
    case "document_site":
      return <SharePointFields {...props} />;
    default:
      return kind satisfies never;
  }
};

const INTERVALS = [
  { value: "15", label: "every 15 minutes" },
  { value: "60", label: "every hour" },
  { value: "360", label: "every 6 hours" },
  { value: "1440", label: "every day" },
  { value: "10080", label: "every week" },
  { value: "0", label: "on request only" },
];

/** How often it is looked at; a folder that is pushed needs no looking. */
export const IntervalField = ({ state, kind }: { state: FormState; kind: SourceKind }) =>
  kind === "file_system" ? null : (
    <SelectField
      state={state}
      name="scanIntervalMinutes"
      label="Look for changes"
      options={INTERVALS}
    />
  );

const WebFields = (props: FieldsProps) => (
  <>
    <TextArea
      state={props.state}
      name="config.startUrls"
      label="Start addresses"
      rows={3}
      hint="One a line. Links on these pages are followed, within the same host and folder."
    />
    <TextArea
      state={props.state}
      name="config.sitemapUrls"
      label="Sitemaps"
      rows={2}
      hint="One a line."
    />
    <WebLimits {...props} />
  </>
);

const WebLimits = ({ state }: FieldsProps) => (
  <details class="options">
    <summary>Limits, patterns and pushed addresses</summary>
    <div class="two">
      <TextField
        state={state}
        name="config.maxDepth"
        label="Links followed in a row"
        numeric
        placeholder="3"
      />
      <TextField
        state={state}
        name="config.maxPages"
        label="Pages at most"
        numeric
        placeholder="1000"
      />
    </div>
    <TextArea
      state={state}
      name="config.include"
      label="Only addresses that match"
      rows={2}
      hint="One pattern a line; * stands for anything."
    />
    <TextArea
      state={state}
      name="config.exclude"
      label="Leave out"
      rows={2}
      hint="One pattern a line."
    />
    <TextArea
      state={state}
      name="config.pushHosts"
      label="Hosts of pushed addresses"
      rows={2}
      hint="One a line. The webhook accepts addresses of these hosts only; empty: of any."
    />
    <TextField
      state={state}
      name="config.maxPushedUrls"
      label="Pushed addresses at most"
      numeric
      placeholder="10000"
    />
  </details>
);

const PrefixField = ({ state }: FieldsProps) => (
  <TextField
    state={state}
    name="config.prefix"
    label="Folder"
    hint="Only what lies below it, such as handbook/. Empty: the whole bucket."
  />
);

const BucketFields = (props: FieldsProps) => {
  const { state, isStored } = props;
  return (
    <>
      <TextField
        state={state}
        name="config.endpoint"
        label="Endpoint"
        type="url"
        placeholder="https://s3.eu-central-1.amazonaws.com"
        required
      />
      <div class="two">
        <TextField
          state={state}
          name="config.region"
          label="Region"
          placeholder="eu-central-1"
          required
        />
        <TextField state={state} name="config.bucket" label="Bucket" required />
      </div>
      <PrefixField {...props} />
      <Checkbox
        state={state}
        name="config.pathStyle"
        label="The bucket is part of the path, not of the host name"
      />
      <TextField
        state={state}
        name="config.credentials.accessKeyId"
        label="Access key id"
        required={!isStored}
        hint={isStored ? KEPT : undefined}
      />
      <TextField
        state={state}
        name="config.credentials.secretAccessKey"
        label="Secret access key"
        type="password"
        autocomplete="new-password"
        required={!isStored}
      />
      <details class="options">
        <summary>Temporary credentials</summary>
        <TextField
          state={state}
          name="config.credentials.sessionToken"
          label="Session token"
          type="password"
          autocomplete="new-password"
        />
      </details>
    </>
  );
};

const DriveFields = ({ state, isStored }: FieldsProps) => (
  <>
    <TextField
      state={state}
      name="config.sharedDriveId"
      label="Shared drive"
      hint="Its id, the last part of its address. Or:"
    />
    <TextField
      state={state}
      name="config.rootFolderId"
      label="Folder"
      hint="The id of a folder; everything beneath it is read."
    />
    <TextArea
      state={state}
      name="config.credentials"
      label="Key file of the service account"
      mono
      secret
      rows={6}
      required={!isStored}
      hint={
        isStored ? KEPT : "The whole JSON file. The folder or drive must be shared with its e-mail."
      }
    />
    <details class="options">
      <summary>Acting for a user, labels, another address</summary>
      <TextField
        state={state}
        name="config.subject"
        label="Acts for"
        type="email"
        hint="With domain-wide delegation: the user's e-mail."
      />
      <TextArea
        state={state}
        name="config.labelIds"
        label="Labels"
        rows={2}
        hint="Ids of Drive labels, one a line; their values become the files' metadata."
      />
      <TextField state={state} name="config.apiBaseUrl" label="Address of the API" type="url" />
    </details>
  </>
);

const SharePointFields = ({ state, isStored }: FieldsProps) => (
  <>
    <div class="two">
      <TextField state={state} name="config.tenantId" label="Tenant id" required />
      <TextField state={state} name="config.clientId" label="Client id" required />
    </div>
    <TextField
      state={state}
      name="config.clientSecret"
      label="Client secret"
      type="password"
      autocomplete="new-password"
      required={!isStored}
      hint={isStored ? KEPT : "Of an app registration with Sites.Read.All or Sites.Selected."}
    />
    <TextField
      state={state}
      name="config.siteId"
      label="Site"
      hint="host,site id,web id as Microsoft Graph names it: all libraries of the site. Or:"
    />
    <TextField
      state={state}
      name="config.driveId"
      label="Library"
      hint="The id of one document library."
    />
    <details class="options">
      <summary>National clouds</summary>
      <TextField
        state={state}
        name="config.apiBaseUrl"
        label="Address of Microsoft Graph"
        type="url"
      />
      <TextField
        state={state}
        name="config.loginBaseUrl"
        label="Address of the sign-in"
        type="url"
      />
    </details>
  </>
);
