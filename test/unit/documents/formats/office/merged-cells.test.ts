import { odf, pptx } from "../../../../support/office-files.ts";
import { reads } from "../../../../support/read-document.ts";

const COVERED = "<table:covered-table-cell/>";
const COVERED_TWICE = '<table:covered-table-cell table:number-columns-repeated="2"/>';
const cell = (text: string, rows = 1) =>
  `<table:table-cell table:number-rows-spanned="${rows}"><text:p>${text}</text:p></table:table-cell>`;
const sheet = (...rows: string[][]) =>
  `<table:table table:name="S">${rows.map((cells) => `<table:table-row>${cells.join("")}</table:table-row>`).join("")}</table:table>`;

reads("a.ods", {
  "cells that span rows stand in each of them, and across columns once": [
    odf(
      "spreadsheet",
      sheet(
        [cell("Area"), cell("Town"), cell("Fee")],
        [cell("North", 3), cell("Ayl"), cell("5", 2)],
        [COVERED, cell("Bex"), COVERED],
        [COVERED, cell("Cay"), COVERED],
        [cell("South", 2), COVERED, cell("7")],
        [COVERED_TWICE, cell("")],
        [cell("West"), COVERED, cell("8")],
      ),
    ),
    "# S\n\n| Area | Town | Fee |\n| --- | --- | --- |\n| North | Ayl | 5 |\n| North | Bex | 5 |\n| North | Cay |  |\n| South |  | 7 |\n| West |  | 8 |",
  ],
  "a table in a cell of merged cells keeps its rows": [
    odf(
      "spreadsheet",
      sheet([
        cell("a"),
        `<table:table-cell>${sheet([cell("in", 2)], [COVERED, cell("side")])}</table:table-cell>`,
      ]),
    ),
    "# S\n\n| a | in in side |\n| --- | --- |",
  ],
});

const slideRow = (vMerge: string, area: string, town: string) =>
  `<a:tr><a:tc vMerge="${vMerge}"><a:p><a:t>${area}</a:t></a:p></a:tc><a:tc><a:p><a:t>${town}</a:t></a:p></a:tc></a:tr>`;

reads("a.pptx", {
  "a merged cell of a slide stands in each row that it covers": [
    pptx([`<a:tbl>${slideRow("0", "North", "Ayl")}${slideRow("1", "", "Bex")}</a:tbl>`]),
    /\| North \| Ayl \|\n\| --- \| --- \|\n\| North \| Bex \|$/,
  ],
});
