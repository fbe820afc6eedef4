/**
 * Writes the product of `left` (`rows` by `depth`) and the transpose of `right` (`columns` by `depth`) to `out`, all of them row
 * by row. Computes 2 by 4 cells at a time, so that each number that is read is used several times. `rows` must be a multiple
 * of 2 and `columns` one of 4.
 */
export function multiplyByTransposed(
  left: Float64Array,
  right: Float64Array,
  out: Float64Array,
  { rows, columns, depth }: { rows: number; columns: number; depth: number },
): void {
  for (let row = 0; row < rows; row += 2) {
    const left0 = row * depth;
    const left1 = left0 + depth;
    for (let column = 0; column < columns; column += 4) {
      const right0 = column * depth;
      const right1 = right0 + depth;
      const right2 = right1 + depth;
      const right3 = right2 + depth;
      let [a0, a1, a2, a3, b0, b1, b2, b3] = [0, 0, 0, 0, 0, 0, 0, 0];
      for (let i = 0; i < depth; i += 1) {
        const a = left[left0 + i] as number;
        const b = left[left1 + i] as number;
        const c = right[right0 + i] as number;
        const d = right[right1 + i] as number;
        const e = right[right2 + i] as number;
        const f = right[right3 + i] as number;
        a0 += a * c;
        a1 += a * d;
        a2 += a * e;
        a3 += a * f;
        b0 += b * c;
        b1 += b * d;
        b2 += b * e;
        b3 += b * f;
      }
      const out0 = row * columns + column;
      const out1 = out0 + columns;
      out[out0] = a0;
      out[out0 + 1] = a1;
      out[out0 + 2] = a2;
      out[out0 + 3] = a3;
      out[out1] = b0;
      out[out1 + 1] = b1;
      out[out1 + 2] = b2;
      out[out1 + 3] = b3;
    }
  }
}

/** Writes the transpose of `matrix` (`rows` by `columns`) to `out`. */
export function transpose(matrix: Float64Array, out: Float64Array, rows: number, columns: number): void {
  const side = 16;
  for (let row = 0; row < rows; row += side) {
    for (let column = 0; column < columns; column += side) {
      const lastRow = Math.min(rows, row + side);
      const lastColumn = Math.min(columns, column + side);
      for (let r = row; r < lastRow; r += 1) {
        for (let c = column; c < lastColumn; c += 1) out[c * rows + r] = matrix[r * columns + c] as number;
      }
    }
  }
}
